import Foundation
import MienCore
import Testing

@testable import MienJourney

/// CEL's semantics according to its specification, as far as the subset supports them. Each
/// difference has its own test.
@Suite("Expressions")
struct ExpressionTests {
    static let variables: [String: JSONValue] = [
        "a": 1, "b": 2.5, "s": "Hello", "e": "", "yes": true, "no": false, "nothing": nil,
        "list": [1, "two", [3]],
        "map": ["k": "v", "n": ["deep": [true]], "null": nil, "weird key": 7],
        "user": ["level": "none"],
    ]

    static func value(_ source: String) throws -> JSONValue {
        try JourneyExpression(source).value(in: variables)
    }

    @Test(
        "known answers",
        arguments: [
            // Literals
            ("42", 42), ("-7", -7), ("0x1F", 31), ("1.5e3", 1500), (".5", 0.5),
            ("\"a\\tb\\u00e9\\x41\"", "a\tbéA"),
            (#"r'\n'"#, #"\n"#), ("null", nil), ("true", true), ("[1, 2,]", [1, 2]),
            ("{'a': 1, 'b': [true]}", ["a": 1, "b": [true]]), ("{}", [:]),
            ("[]", []), (#"'\U0001F600'"#, "😀"),
            // Access
            ("map.k", "v"), ("map['k']", "v"), ("map['weird key']", 7), ("list[1]", "two"),
            ("list[2][0]", 3), ("map.n.deep[0]", true),
            ("map.null", nil),
            ("@policy.userContext().level", "none"),
            // Relations
            ("a == 1", true), ("a == 1.0", true), ("a != 2", true), ("'a' < 'b'", true),
            ("'a' < 'B'", false), ("'' < 'a'", true),
            ("false < true", true),
            ("2 <= 2 && 2 >= 2", true), ("1 == '1'", false), ("null == null", true),
            ("[1, [2]] == [1, [2]]", true), ("{'a': 1} == {'a': 2}", false),
            ("'\\u00e9' == 'e\\u0301'", false),
            // Sums
            ("1 + 2 * 3", 7), ("(1 + 2) * 3", 9), ("7 - 2 - 1", 4), ("7 / 2", 3.5), ("7 % 3", 1),
            ("-7 % 3", -1), ("7 % -3", 1), ("-a - -b", 1.5),
            ("'a' + 'b' + 'c'", "abc"), ("[1] + [2]", [1, 2]),
            // Logic
            ("!no", true), ("!!yes", true), ("yes && no || yes", true), ("yes || yes && no", true),
            ("yes ? 'y' : no ? 'n' : 'm'", "y"),
            ("no ? missing : 1", 1),
            // in, has, size
            ("1 in list", true), ("'x' in list", false), ("'k' in map", true), ("1 in map", false),
            ("!('z' in map)", true), ("has(map.k)", true),
            ("has(map.null)", true), ("has(map.z)", false), ("has(map.n.deep)", true),
            ("has(a)", true), ("has(z)", false), ("size('a\\u0301😀')", 3),
            ("'abc'.size()", 3), ("size(list)", 3), ("size(map)", 4), ("size([])", 0),
            // Strings
            ("s.startsWith('He')", true), ("s.startsWith('')", true), ("s.endsWith('lo')", true),
            ("s.endsWith('Hello!')", false),
            ("s.contains('ell')", true),
            ("s.contains('')", true), ("e.contains('x')", false), ("s.lowerAscii()", "hello"),
            ("'\\u00c9a'.upperAscii()", "ÉA"),
            ("'  x y\\n'.trim()", "x y"), ("'  '.trim()", ""),
            ("'a,b,,c'.split(',')", ["a", "b", "", "c"]), ("'a,b,c'.split(',', 2)", ["a", "b,c"]),
            ("'a,b'.split(',', 0)", []), ("'a,b'.split(',', 1)", ["a,b"]), ("''.split(',')", [""]),
            ("s.substring(1)", "ello"),
            ("s.substring(1, 3)", "el"),
            ("s.substring(5)", ""), ("'banana'.replace('an', 'o')", "booa"),
            ("'banana'.replace('an', 'o', 1)", "boana"),
            ("'aaa'.replace('a', 'aa')", "aaaaaa"),
            ("'banana'.replace('an', 'o', 0)", "banana"),
            // Conversions
            ("int('42')", 42), ("int('-42')", -42), ("int(3.9)", 3), ("int(-3.9)", -3),
            ("double('1.5')", 1.5), ("double(2)", 2), ("string(1)", "1"),
            ("string(1.5)", "1.5"), ("string(true)", "true"), ("string('x')", "x"),
            ("bool('true')", true), ("bool('f')", false), ("bool(yes)", true),
        ] as [(String, JSONValue)])
    func knownAnswers(source: String, expected: JSONValue) throws {
        #expect(try Self.value(source) == expected, "\(source)")
    }

    @Test(
        "&& and || need only one deciding side, on either side",
        arguments: [
            ("false && missing", false), ("missing && false", false), ("true || missing", true),
            ("missing || true", true),
            ("1/0 == 1 || true", true),
            ("'no truth' && false", false), ("false && 3", false), ("has(z) && z.a == 1", false),
        ])
    func commutative(source: String, expected: JSONValue) throws {
        #expect(try Self.value(source) == expected)
    }

    @Test(
        "expressions without a value throw",
        arguments: [
            "true && missing", "missing && true", "false || missing", "missing || false",
            "missing || missing", "missing", "map.z", "a.b",
            "nothing.x",
            "list[3]", "list[-1]", "list[0.5]", "list['a']", "map[1]", "s[0]", "1 / 0", "1 % 0",
            "1.5 % 1", "1e308 * 10", "1 + 'a'", "'a' + 1",
            "1 < 'a'",
            "null < null", "[1] < [2]", "!1", "-'a'", "1 ? 2 : 3", "1 in 1", "'a' in 'abc'",
            "has(a.b)", "has(map.z.y)", "size(1)", "size(null)",
            "1.startsWith('a')", "s.startsWith(1)", "s.substring(6)", "s.substring(2, 1)",
            "s.substring(-1)", "s.substring(0.5)", "s.split('')",
            "s.replace('', 'x')", "int('1.5')", "int('')", "int('x')", "int(null)",
            "int('9007199254740993')", "double('nan')", "double('inf')",
            "double('0x1')",
            "double('')", "string(null)", "string([])", "bool('yes')", "bool(1)", "{1: 2}",
            "{'a': 1, 'a': 2}", "yes == (no < 1)",
        ])
    func noValue(source: String) {
        #expect(throws: ExpressionError.self, "\(source)") { try Self.value(source) }
    }

    @Test(
        "malformed expressions are rejected with a position and a reason",
        arguments: [
            ("", 1, "expected a value, not the end"),
            ("1 +", 4, "expected a value, not the end"),
            ("'it''s'", 5, "expected an operator or the end, not a string"),
            ("1 2", 3, "expected an operator or the end, not a number"),
            ("a = 1", 3, "“=” is unexpected here; to compare, write “==”"),
            ("a & b", 3, "“&” is unexpected here; write “&&”"),
            ("(1", 3, "expected “)”, not the end"),
            ("[1 2]", 4, "expected “,” or “]”, not a number"), ("a.1", 2, nil),
            ("'abc", 1, "the string that starts here is not closed"),
            ("s.startWith('a')", 3, "unknown function “startWith”; did you mean “startsWith”?"),
            ("sise(a)", 1, "unknown function “sise”; did you mean “size”?"),
            ("startsWith(s, 'a')", 1, "unknown function “startsWith”; write x.startsWith(…)"),
            ("s.int()", 3, "unknown function “int”; write int(x)"),
            ("s.matches('a')", 3, "unknown function “matches”"),
            ("size(1, 2)", 1, "size() takes one argument"),
            ("s.replace('a')", 3, "replace() takes 2 or 3 arguments, not 1"),
            ("has(1)", 5, "has() takes a variable or a member: has(a) or has(a.b)"),
            ("while", 1, "“while” is a reserved word and cannot name a variable"),
            ("'\\q'", 2, nil),
            ("0x", 1, nil),
            ("1abc", 1, "malformed number"),
            (
                "@policy.userTokens()", 1,
                "the only name with “@” is “@policy.userContext()”, which means “user”"
            ),
            ("a ? b", 6, "expected “:”, not the end"),
            ("a # b", 3, "“#” is unexpected here"),
            ("“a”", 1, "““” is unexpected here; write strings as \"…\" or '…'"),
            ("1 == == 2", 6, nil),
            ("a..b", 3, nil),
        ] as [(String, Int, String?)])
    func noExpression(source: String, column: Int, reason: String?) throws {
        let error = try #require(
            #expect(throws: ExpressionError.self) { try JourneyExpression(source) })
        #expect(error.column == column, "\(source): \(error)")
        if let reason { #expect(error.reason == reason) }
    }

    @Test("limits")
    func limits() throws {
        func refused(_ source: String) -> Bool { (try? JourneyExpression(source)) == nil }
        #expect(refused(String(repeating: " ", count: 4096) + "1"))
        #expect(
            !refused(String(repeating: "(", count: 31) + "1" + String(repeating: ")", count: 31)))
        #expect(
            refused(String(repeating: "(", count: 32) + "1" + String(repeating: ")", count: 32)))
        #expect(refused(String(repeating: "(", count: 2000)))
        #expect(refused(String(repeating: "!", count: 33) + "yes"))
        #expect(refused(String(repeating: "[", count: 33) + String(repeating: "]", count: 33)))
        #expect(!refused(Array(repeating: "1", count: 64).joined(separator: "+")))
        #expect(refused(Array(repeating: "1", count: 65).joined(separator: "+")))
        #expect(refused("a" + String(repeating: ".b", count: 64)))

        let long: JSONValue = .string(String(repeating: "x", count: 40_000))
        #expect(throws: ExpressionError.self) {
            try JourneyExpression("x + x").value(in: ["x": long])
        }
        #expect(try JourneyExpression("x + ''").value(in: ["x": long]) == long)
        #expect(throws: ExpressionError.self) {
            try JourneyExpression("x.replace('x', 'xx')").value(in: ["x": long])
        }
        #expect(throws: ExpressionError.self) {
            try JourneyExpression("x.split('x')").value(in: ["x": long])
        }
        let many: JSONValue = .array(Array(repeating: 1, count: 600))
        #expect(throws: ExpressionError.self) {
            try JourneyExpression("x + x").value(in: ["x": many])
        }
        // Repeated searches in large values are counted, too.
        let looks = "[" + Array(repeating: "2 in x", count: 200).joined(separator: ",") + "]"
        #expect(throws: ExpressionError.self) {
            try JourneyExpression(looks).value(in: ["x": .array(Array(repeating: long, count: 10))])
        }
    }

    @Test("unevaluated operands cost nothing and cannot fail")
    func lazy() throws {
        #expect(try Self.value("yes ? 1 : 1 / 0") == 1)
        #expect(try Self.value("no && 1 / 0 == 0") == false)
    }

    @Test("an expression is stored as its source")
    func coding() throws {
        let expression = try JourneyExpression("a + 1")
        let data = try JSONEncoder().encode([expression])
        #expect(String(decoding: data, as: UTF8.self) == #"["a + 1"]"#)
        #expect(try JSONDecoder().decode([JourneyExpression].self, from: data) == [expression])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([JourneyExpression].self, from: Data(#"["a +"]"#.utf8))
        }
    }

    @Test("templates")
    func templates() throws {
        let template = try ExpressionTemplate("{{s}}, {{ a + 1 }} times{{'{{'}}!")
        #expect(try template.text(in: Self.variables) == "Hello, 2 times{{!")
        #expect(try ExpressionTemplate("plain } {").text(in: [:]) == "plain } {")
        #expect(throws: ExpressionError(column: 5, reason: "“{{” has no “}}”")) {
            try ExpressionTemplate("abc {{a")
        }
        #expect(throws: ExpressionError.self) { try ExpressionTemplate("{{}}") }
        #expect(throws: ExpressionError.self) { try template.text(in: ["s": "x"]) }
        #expect(throws: ExpressionError.self) {
            try ExpressionTemplate("{{list}}").text(in: Self.variables)
        }
        // A variable's value is inserted as text and never evaluated.
        #expect(try ExpressionTemplate("{{s}}").text(in: ["s": "{{a}}"]) == "{{a}}")
    }

    @Test("an expression reports the paths it requires and the paths it proves to exist")
    func reads() throws {
        func paths(_ source: String) throws -> [String] {
            try JourneyExpression(source).requiredPaths
        }
        #expect(try paths("form.a == 1 && form['b'] == x.y.z") == ["form.a", "form.b", "x.y"])
        #expect(try paths("has(form.a) && form.a == 1") == ["form"])
        #expect(try paths("form.a == 1 && has(form.a)") == ["form"])
        #expect(try paths("!has(form.a) || form.a == 1") == ["form"])
        #expect(try paths("has(form.a) ? form.a : form.b") == ["form", "form.b"])
        #expect(try paths("has(form.a) || form.a == 1") == ["form", "form.a"])
        #expect(try paths("has(x) && x.y == 1") == ["x.y"])
        #expect(
            try JourneyExpression("has(a.b) && !(!has(c) || d)").presentPaths(whenValueIs: true)
                == ["a", "a.b", "c"])
        #expect(try JourneyExpression("!has(a)").presentPaths(whenValueIs: false) == ["a"])
    }

    /// Set MIEN_SEED=… to replay a run.
    @Test(
        "random expressions never crash and give the same result twice"
    )
    func madeUp() throws {
        let seed =
            ProcessInfo.processInfo.environment["MIEN_SEED"].flatMap(UInt64.init)
            ?? .random(in: 0 ... .max)
        var generator = SmallGenerator(seed: seed)
        let words = [
            "a", "b", "s", "list", "map", "missing", "1", "0", "2.5", "'x'", "\"\"", "true",
            "false", "null", "(", ")", "[", "]", "{", "}", ".", ",",
            ":", "?",
            "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "!", "in", "has",
            "size", ".size()", ".k", "[0]", ".split(',')",
            ".replace('a', s)", "int", "string", "@policy.userContext()", " ", "\\", "'", "\u{e9}",
            "0x", "1e999",
        ]
        var values = 0
        for _ in 0..<20_000 {
            let source = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
                words.randomElement(using: &generator)!
            }.joined(
                separator: Bool.random(using: &generator) ? " " : "")
            guard let expression = try? JourneyExpression(source) else { continue }
            let first = Result { try expression.value(in: Self.variables) },
                second = Result { try expression.value(in: Self.variables) }
            switch (first, second) {
            case (.success(let a), .success(let b)):
                values += 1
                #expect(a == b, "seed \(seed): \(source)")
            case (.failure(let a as ExpressionError), .failure(let b as ExpressionError)):
                #expect(a == b, "seed \(seed): \(source)")
            default: Issue.record("seed \(seed): \(source)")
            }
            _ = expression.requiredPaths
        }
        #expect(values > 100, "seed \(seed)")
    }
}

/// The SplitMix64 generator.
struct SmallGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
        return z ^ z >> 31
    }
}
