import Testing

@testable import MienDocument

@Suite struct TransliterationTests {
    @Test(arguments: [
        ("Müller", "MUELLER"), ("Žižka", "ZIZKA"), ("Ærø", "AEROE"), ("Łukasz", "LUKASZ"),
        ("O'Connor", "OCONNOR"), ("Jean-Luc", "JEAN<LUC"), ("Þórður", "THORDUR"),
        ("Горбачёв", "GORBACHEV"), ("Щукин", "SHCHUKIN"), ("İnönü", "INOENUE"), ("ß", "SS"),
        ("Nguye\u{302}\u{303}n", "NGUYEN"), ("Nguyễn", "NGUYEN"), ("Əliyev", "ELIYEV"),
        ("Παπαδόπουλος", "PAPADOPOYLOS"), ("محمد", "MXHMD"), ("عبدالله", "EBDALLH"),
    ])
    func `names are transliterated`(name: String, spelling: String) {
        #expect(Transliteration.recommended(name) == spelling)
    }

    @Test func `other scripts are not supported`() {
        #expect(Transliteration.recommended("王") == nil)
        #expect(
            Transliteration.matches(["WANG"], "王", allowingMoreWords: false, mayBeTruncated: false)
                == nil)
    }

    @Test(arguments: [
        (["MUELLER"], "Müller", true), (["MULLER"], "Müller", true), (["MUXXLLER"], "Müller", true),
        (["MULLERS"], "Müller", false), (["NUNXXEZ"], "Nuñez", true),
        (["JEAN", "LUC"], "Jean-Luc", true), (["JEANLUC"], "jean luc", true),
        (["ANNA"], "Ann", false),
        (["SHCHERBAKOV"], "Щербаков", true), (["SHTERBAKOV"], "Щербаков", true),
        (["HRYTSENKO"], "Гриценко", true), (["YUSHCHENKO"], "Ющенко", true),
        (["IUSHCHENKO"], "Ющенко", true), (["YEVGENIY"], "Евгений", true),
        (["PAPADOPOULOS"], "Παπαδόπουλος", true), (["EVANGELOS"], "Ευάγγελος", true),
        (["BAKAS"], "Μπάκας", true), (["PAPADOPOULOU"], "Παπαδόπουλος", false),
        (["LYU"], "Lü", true), (["LOE"], "Lø", true), (["QYZYLORDA"], "Қызылорда", true),
        (["MXHMD"], "محمد", true),
        (["ANNA"], "", false), (["ANNA"], "'", false),
        // What only pairs of letters have, and the hard sign.
        (["MARIA"], "Μαρία", true), (["ARIA"], "Μαρία", false), (["BETROS"], "Πέτρος", false),
        (["DASOS"], "Τάσος", false), (["NIORGOS"], "Γιώργος", false),
        (["FIANNIS"], "Υιάννης", false),
        (["PODYACHEV"], "Подъячев", true), (["SBI"], "Съби", false), (["SABI"], "Съби", true),
    ])
    func `every spelling of the standard matches`(words: [String], name: String, matches: Bool) {
        #expect(
            Transliteration.matches(words, name, allowingMoreWords: false, mayBeTruncated: false)
                == matches)
    }

    @Test func `more names, and a truncated end`() {
        func matches(_ words: [String], _ name: String, more: Bool, cut: Bool) -> Bool? {
            Transliteration.matches(words, name, allowingMoreWords: more, mayBeTruncated: cut)
        }
        #expect(matches(["ANNA", "MARIA"], "Anna", more: true, cut: false) == true)
        #expect(matches(["ANNA", "MARIA"], "Ann", more: true, cut: false) == false)
        #expect(matches(["ANNA", "MAR"], "Anna Maria", more: true, cut: true) == true)
        #expect(matches(["ANNA", "MAR"], "Anna Maria", more: true, cut: false) == false)
        #expect(matches(["MUELLE"], "Müller", more: false, cut: true) == true)
        #expect(matches(["A"], String(repeating: "a", count: 257), more: true, cut: true) == nil)
    }
}
