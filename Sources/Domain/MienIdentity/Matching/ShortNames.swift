internal import MienCore

/// Given names and their common short forms, such as Bob for Robert. Two names of one line may be
/// those of the same person, which a person then decides.
///
///     # Lines that begin with # are comments.
///     Robert: Bob, Bobby, Rob
///
/// An operator can replace the table, because short forms differ from country to country.
public struct ShortNames: Sendable, Hashable {
    /// The maximum length of a table in bytes.
    public static let maxBytes = 1 << 20

    /// The lines in which a folded name occurs.
    private var lines: [String: Set<Int>] = [:]

    /// - Throws: ``ShortNamesError`` for the first line that is not a name, a colon, and short forms.
    public init(_ text: String) throws(ShortNamesError) {
        guard text.utf8.count <= Self.maxBytes else {
            throw ShortNamesError(line: 1, reason: "the table has more than \(Self.maxBytes) bytes")
        }
        let rows = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, row) in rows.enumerated() {
            let row = row.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
            guard let first = row.first, first != "#" else { continue }
            let parts = row.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2 else {
                throw ShortNamesError(
                    line: index + 1,
                    reason: "write a name, a colon, and its short forms: Robert: Bob, Rob")
            }
            for name in [parts[0]]
                + parts[1].split(separator: ",", omittingEmptySubsequences: false)
            {
                guard name.utf8.count <= PersonalData.maxFieldBytes, String(name).isStreamSafe,
                    let folded = Optional(FoldedText(String(name))), !folded.isEmpty
                else {
                    throw ShortNamesError(line: index + 1, reason: "a name is empty or too long")
                }
                for spelling in folded.joined { lines[spelling, default: []].insert(index) }
            }
        }
    }

    private init(known: [String]) {
        for (index, line) in known.enumerated() {
            for name in line.split(separator: " ") {
                lines[String(name), default: []].insert(index)
            }
        }
    }

    /// Whether one line has both names.
    func areAlike(_ a: String, _ b: String) -> Bool {
        guard let some = lines[a], let others = lines[b] else { return false }
        return !some.isDisjoint(with: others)
    }

    /// The table that is used if an operator has none: short forms of English, German, Spanish,
    /// French, Italian, Dutch, Scandinavian, Polish, and Russian names.
    ///
    /// Lacks forms that have become names of their own, such as Jack.
    public static let standard = ShortNames(known: [
        "abigail abby gail", "abraham abe", "albert al bert bertie", "albrecht albert",
        "alejandro alex ale jandro", "aleksander alex olek", "aleksandr alex sasha sascha sanya",
        "aleksandra alex sasha sascha ola",
        "aleksey alyosha lyosha alexei alexey aleksei aleksej",
        "alexander alex alec al sandy sascha sasha xander lex",
        "alexandra alex sandra sandy lexi", "alexis alex lexi", "alfred al alf fred freddy",
        "alison ali allie", "amanda mandy", "amelia amy millie", "anastasia nastya stacy ana",
        "andrea andi andy", "andreas andi andy", "andrew andy drew", "angela angie",
        "anna annie nan anja anya", "annette annie nettie", "anthony tony ant",
        "antoine toine tony", "anton toni tony", "antonio toni tony tonio nino",
        "archibald archie", "arnold arnie", "arthur art artie", "augustus gus",
        "barbara barb babs barbie bobbie", "bartholomew bart", "beatrice bea trixie",
        "benedikt ben bene", "benjamin ben benny benji", "bernard bernie", "bernhard bernd",
        "birgit biggi gitte", "bradley brad", "brigitte gitte biggi", "calvin cal", "cameron cam",
        "carlos charlie carlitos", "carolina caro lina", "caroline carol caro carrie",
        "catherine cathy kate katie kathy cat kit", "charles charlie chuck chas charley",
        "charlotte charlie lottie lotte", "christian chris christoph",
        "christina chris tina christy", "christine chris tina chrissy", "christoph chris stoph",
        "christopher chris kit topher", "clifford cliff", "concepcion concha conchita",
        "constance connie", "cornelia conny nelly", "cornelis kees cor", "cynthia cindy",
        "daniel dan danny", "david dave davy", "deborah deb debbie",
        "dmitry dima mitya dmitri dmitrij", "dolores lola", "dominic dom nick",
        "dominik domi nik", "donald don donny", "dorothea dora thea dorle",
        "dorothy dot dottie dolly", "douglas doug", "eduard edi edu", "eduardo edu lalo",
        "edward ed eddie ted teddy ned", "edwin ed eddie", "eleanor ellie nell nora",
        "elena lena lenka", "elisabeth lisa elsa else elli sissi liesel betty",
        "elizabeth liz lizzie beth betty eliza libby bess lisa elsie", "elzbieta ela",
        "emily em emmy", "emmanuel manny manu", "enrique quique", "erzsebet bozsi", "eugene gene",
        "evgeny zhenya yevgeny evgenii evgenij", "ezekiel zeke", "florence flo",
        "frances fran fanny frankie", "francesco franco cesco", "francis frank fran",
        "francisca paca", "francisco paco pancho curro", "franciscus frans",
        "frederick fred freddy fritz", "frederik fred rik", "friedrich fritz friedel",
        "gabriel gabe", "gabriele gabi gaby", "gabriella gabby ella", "galina galya",
        "genevieve gen", "geoffrey geoff jeff", "georg schorsch", "george geordie",
        "gerald gerry jerry", "gerard gerry", "gerhard gerd", "gertrud gerti trude",
        "gertrude gertie trudy", "giovanni gianni nanni", "giuseppe beppe peppe pino",
        "gregory greg", "grzegorz grzesiek", "guadalupe lupe", "guglielmo memo",
        "guillermo memo guille", "hannelore hanne lore", "harold harry hal",
        "heinrich heinz heiner", "helen nell nellie", "helena lena", "helene leni lena",
        "hendrik henk rik", "henry harry hal hank", "herbert herb bert", "hubert bert hubi",
        "ignacio nacho", "ignatius iggy", "ingeborg inge", "irina ira", "isaac ike",
        "isabel isa bella chabela", "isabella bella izzy isa", "ivan vanya", "jacob jake",
        "jacqueline jackie", "jacques jacky", "jakob jakl kobi", "james jim jimmy jamie",
        "jan janek", "janet jan", "jeffrey jeff", "jennifer jen jenny", "jeremiah jerry",
        "jerome jerry", "jessica jess jessie", "jesus chuy chucho", "jill gillian",
        "joachim jochen achim jo", "joan joanie", "joanna jo asia", "johann hans hannes jo",
        "johanna hanna hanne jo", "johannes hans hannes jo johan jan", "john johnny jon",
        "jonathan jon jonny nathan", "jordan jordi", "jose pepe", "josef sepp beppo jupp",
        "joseph joe joey jo", "josephine jo josie", "joshua josh", "juan juanito",
        "judith judy jutta", "julia jule", "katarzyna kasia",
        "katharina kathi kathrin katja kathe kaethe rina",
        "katherine kate katie kathy kat kitty kay", "kathleen kathy kate", "kenneth ken kenny",
        "kimberly kim", "klaus claus nikolaus", "konstantin kostya kosta", "larissa lara",
        "laurence larry laurie", "lawrence larry", "leonard leo len lenny", "leonardo leo",
        "leopold leo poldi", "leslie les", "lillian lily lil", "louis lou louie",
        "louise lou lulu", "lucille lucy", "ludmila lyuda mila", "ludwig lutz wiggerl",
        "luis lucho", "magdalena lena magda leni malena", "malgorzata gosia",
        "manuel manolo manu", "manuela manu", "marcus marc mark",
        "margaret maggie meg peggy marge margie greta daisy rita",
        "margarete grete gretel greta margit rita", "margarita rita",
        "maria mia mitzi ria mariechen mascha masha", "marilyn mary", "marjorie marge",
        "martha marty", "martin marty", "mary molly polly mamie", "matthaeus matt",
        "matthew matt matty", "matthias matti matze hias", "maurice mo", "maximilian max",
        "maxwell max", "megan meg", "melanie mel", "melissa mel missy", "mercedes merche",
        "michael mike mick micky mikey michi misha", "mikhail misha", "mildred millie",
        "miriam mimi", "mohammed mohamed muhammad mohammad mohamad md mo", "monika moni",
        "montserrat montse", "nadezhda nadya", "nancy nan", "natalia natasha nat talia",
        "natalie nat", "nathaniel nat nate nathan", "nicholas nick nicky nico",
        "nicole nicky nikki", "nikolai kolya", "nikolaus klaus niko nico", "norbert bert",
        "oliver ollie", "olivia liv livvy", "oscar ossie", "oswald ossi oz", "pamela pam",
        "patricia pat patty trish tricia", "patrick pat paddy", "paul paulie", "pavel pasha",
        "penelope penny", "peter pete", "petronella nel nelly", "philip phil pip",
        "pierre pierrot", "pilar pili", "piotr piotrek", "priscilla cilla", "rafael rafa",
        "ralph ralphie", "ramon moncho", "randall randy", "randolph randy", "raymond ray",
        "rebecca becky becca", "regina gina", "renate rena", "richard rick rich dick ricky",
        "robert bob bobby rob robbie bert robin", "roberto beto berto", "rodney rod",
        "roger rodge", "roland rolli", "ronald ron ronny", "rosalind roz", "rosario charo",
        "rosemary rosie rose", "rudolf rudi", "rudolph rudy", "rupert bert",
        "salvatore toto turi", "samantha sam sammy", "samuel sam sammy", "sandra sandy",
        "santiago santi", "sarah sally sadie", "sebastian basti seb bastian",
        "sergei seryozha serge", "sharon shari", "siegfried sigi", "sigmund sigi", "simon si",
        "solomon sol", "sophia sophie sofie", "stanislaw staszek", "stanley stan",
        "stefan steffen", "stephanie steffi steph", "stephen steve stevie", "steven steve stevie",
        "susan sue susie suzy", "susanne susi sanne", "svetlana sveta lana", "sylvester sly",
        "sylvia silvie", "tamara tammy toma", "tatiana tanya tania", "terence terry",
        "teresa tere terry tess", "theodor theo", "theodore ted teddy theo",
        "theresa terry tess resi", "therese resi", "thomas tom tommy", "timothy tim timmy",
        "tobias tobi", "tomasz tomek", "ulrich uli", "ulrike uli rike", "ursula uschi ulla",
        "valentina valya", "valerie val", "vanessa nessa", "veronica ronnie vero",
        "veronika vroni", "vicente chente", "victor vic vik", "victoria vicky tori",
        "vincent vince vinny", "virginia ginny", "vladimir volodya vova", "walter walt wally",
        "waltraud traudl", "wilfred will fred", "wilfried willi fried",
        "wilhelm willi willy helmi", "wilhelmina mina minnie", "willem wim",
        "william bill billy will willie liam", "winifred winnie", "wolfgang wolf wolfi",
        "yekaterina katya ekaterina", "yelena lena elena", "yuri yura", "zachary zach zack",
    ])
}

/// The first error of a table of short names. Repeats nothing of it.
public struct ShortNamesError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Counted from 1.
    public let line: Int
    public let reason: String

    public var description: String { "line \(line): \(reason)" }
}
