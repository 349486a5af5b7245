/// The words of a language's addresses that people abbreviate.
struct AddressWords: Sendable {
    struct Phrase: Sendable {
        let words: [String]
        let short: String
        var count: Int { words.count }
    }

    /// Phrases of several words and their abbreviations, by their first words. Longer phrases first.
    let phrases: [String: [Phrase]]
    /// A word, and its abbreviation.
    let single: [String: String]
    /// Ends of compound words: `hauptstrasse` is `hauptstr`.
    let endings: [(long: String, short: String)]
    /// Words that only introduce a number.
    let ignored: Set<String>
    /// Whether N, S, E, and W may be points of the compass.
    let hasCompass: Bool

    /// - Parameter words: the abbreviation, and after it the words that mean the same.
    private init(
        _ words: [String: [String]], phrases: [String: [String]] = [:],
        endings: [(String, String)] = [], ignored: Set<String> = [], hasCompass: Bool = false
    ) {
        var single: [String: String] = [:]
        for (short, long) in words {
            for word in long { single[word] = short }
        }
        self.single = single
        let all = phrases.flatMap { short, long in
            long.map { Phrase(words: $0.split(separator: " ").map(String.init), short: short) }
        }.sorted { ($1.count, $0.words.joined()) < ($0.count, $1.words.joined()) }
        self.phrases = Dictionary(grouping: all) { $0.words.first ?? "" }
        self.endings = endings
        self.ignored = ignored
        self.hasCompass = hasCompass
    }

    /// Abbreviates the words of an address.
    func abbreviated(_ words: [String]) -> [String] {
        var result: [String] = []
        result.reserveCapacity(words.count)
        var index = 0
        while index < words.count {
            if let phrase = phrases[words[index]]?.first(where: {
                words[index...].starts(with: $0.words)
            }) {
                result.append(phrase.short)
                index += phrase.count
            } else {
                append(words[index], to: &result)
                index += 1
            }
        }
        return result
    }

    private func append(_ word: String, to result: inout [String]) {
        if let short = single[word] { return result.append(short) }
        // `10bis` is `10 bis`.
        let digits = word.utf8.prefix { (0x30...0x39).contains($0) }
        if !digits.isEmpty, digits.endIndex < word.endIndex,
            let short = single[String(word[digits.endIndex...])]
        {
            result.append(String(word[..<digits.endIndex]))
            return result.append(short)
        }
        for (long, short) in endings where word.hasSuffix(long) && word.count > long.count {
            result.append(String(word.dropLast(long.count)))
            return result.append(short)
        }
        result.append(word)
    }

    /// Source: USPS Publication 28, appendices C1 and C2, and the words other English-speaking
    /// countries add. `St` is Saint, too, so both have one abbreviation.
    static let english = AddressWords(
        [
            "aly": ["alley", "ally"], "av": ["avenue", "ave", "aven"],
            "bch": ["beach"], "blvd": ["boulevard", "boul", "bvd"], "br": ["branch"],
            "brg": ["bridge", "brdge"], "byp": ["bypass"], "cir": ["circle", "circ", "crcl"],
            "cl": ["close"], "ct": ["court", "crt"], "cts": ["courts"],
            "cres": ["crescent", "crsnt", "cr"], "cswy": ["causeway"], "dr": ["drive", "drv"],
            "est": ["estate"], "expy": ["expressway", "expwy"], "ext": ["extension"],
            "fl": ["floor", "flr", "level", "lvl"], "ft": ["fort"], "fwy": ["freeway"],
            "gdns": ["gardens"], "gdn": ["garden"], "gr": ["grove", "grv"], "hl": ["hill"],
            "hls": ["hills"], "hts": ["heights"], "hwy": ["highway", "highwy", "hiway"],
            "is": ["island"], "jct": ["junction"], "ln": ["lane"], "lk": ["lake"],
            "mdws": ["meadows"], "mt": ["mount"], "mtn": ["mountain"], "mws": ["mews"],
            "pde": ["parade"], "pk": ["park"], "pkwy": ["parkway", "parkwy", "pky"],
            "pl": ["place"], "plz": ["plaza"], "pt": ["point"], "qy": ["quay"],
            "rd": ["road"], "rdg": ["ridge"], "riv": ["river"], "rte": ["route"],
            "sq": ["square"], "st": ["street", "str", "saint", "strt"], "sta": ["station"],
            "ter": ["terrace", "terr", "tce"], "tpke": ["turnpike"], "trl": ["trail"],
            "vly": ["valley"], "vlg": ["village"], "vw": ["view"], "wy": ["way"],
            "n": ["north"], "s": ["south"], "e": ["east"], "w": ["west"],
            "ne": ["northeast"], "nw": ["northwest"], "se": ["southeast"], "sw": ["southwest"],
            "unit": [
                "apartment", "apt", "suite", "ste", "flat", "room", "rm", "#", "no", "number",
            ],
        ],
        phrases: [
            "pobox": ["po box", "p o box", "post office box"],
            "ne": ["north east"], "nw": ["north west"], "se": ["south east"], "sw": ["south west"],
        ],
        ignored: ["unit"], hasCompass: true)

    static let german = AddressWords(
        [
            "str": ["strasse"], "pl": ["platz"], "st": ["sankt"], "whg": ["wohnung", "app", "#"],
            "nr": ["nummer", "no"],
        ],
        phrases: ["postfach": ["post fach"]],
        endings: [("strasse", "str"), ("str", "str"), ("platz", "pl"), ("pl", "pl")],
        ignored: ["nr", "whg"])

    static let french = AddressWords(
        [
            "av": ["avenue", "ave"], "bd": ["boulevard", "boul", "blvd", "bld"], "r": ["rue"],
            "pl": ["place"], "all": ["allee"], "ch": ["chemin", "che"], "imp": ["impasse"],
            "rte": ["route"], "sq": ["square"], "fg": ["faubourg", "fbg"], "crs": ["cours"],
            "q": ["quai"], "st": ["saint"], "ste": ["sainte"], "res": ["residence"],
            "bat": ["batiment", "bt"], "app": ["appartement", "appt", "apt", "#", "no", "numero"],
            "gal": ["general"], "mal": ["marechal"], "dr": ["docteur"],
            "b": ["bis"], "t": ["ter"],
        ],
        phrases: ["bp": ["boite postale"]], ignored: ["app"])

    static let spanish = AddressWords(
        [
            "c": ["calle", "cl"], "av": ["avenida", "avda", "avd"], "pl": ["plaza", "pza", "plza"],
            "po": ["paseo", "pso"], "cr": ["carretera", "ctra", "crta"], "cm": ["camino", "cno"],
            "rd": ["ronda", "rda"], "urb": ["urbanizacion"], "trav": ["travesia"],
            "sta": ["santa"], "sto": ["santo"], "d": ["derecha", "dcha"],
            "i": ["izquierda", "izq"],
            "num": ["numero", "no", "n", "#", "piso", "puerta", "pta"], "gral": ["general"],
        ],
        ignored: ["num"])

    static let italian = AddressWords(
        [
            "v": ["via"], "vle": ["viale"], "p": ["piazza", "pza", "pzza"],
            "cso": ["corso"], "l": ["largo"], "str": ["strada"], "vic": ["vicolo"],
            "s": ["san", "santo", "santa"], "num": ["numero", "n", "no", "#", "interno", "int"],
        ],
        ignored: ["num"])

    static let dutch = AddressWords(
        [
            "str": ["straat"], "ln": ["laan"], "pl": ["plein"], "st": ["sint"],
            "#": ["nummer", "nr"],
        ],
        phrases: ["postbus": ["post bus"]],
        endings: [
            ("straat", "str"), ("str", "str"), ("laan", "ln"), ("ln", "ln"), ("plein", "pl"),
            ("gracht", "gr"), ("gr", "gr"), ("weg", "wg"),
        ],
        ignored: ["#"])

    static let swedish = AddressWords(
        ["gat": ["gatan"], "v": ["vagen"], "st": ["sankt"], "lgh": ["lagenhet", "#"]],
        endings: [("gatan", "g"), ("gata", "g"), ("vagen", "v"), ("vaegen", "v"), ("torget", "t")],
        ignored: ["lgh"])
}
