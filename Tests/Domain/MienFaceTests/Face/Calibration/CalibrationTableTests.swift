import Foundation
import MienCore
import MienFace
import MienTesting
import Testing

@Suite struct CalibrationTableTests {
    @Test("rates follow the knots and the lines between and beyond them")
    func lines() throws {
        let table = try CalibrationTable.made([(0, -1), (2, -2), (3, -4)])
        for (score, logRate) in [
            (0, -1), (1, -1.5), (2, -2), (2.5, -3), (3, -4), (3.5, -5), (-1, -0.5), (-2, 0),
            (-9, 0),
        ] {
            #expect(abs(table.logRate(of: score) - logRate) < 1e-12)
        }
        #expect(table.matchScore(of: 3) == MatchScore(48))
        #expect(table.matchScore(of: 100) == MatchScore(72))
        #expect(table.matchScore(of: -100) == MatchScore(0))
    }

    @Test("a higher score never yields a lower match score")
    func monotone() throws {
        let table = try CalibrationTable.made([
            (-7.4, -0.25), (-2, -1), (0.5, -1.7), (0.6, -2), (4, -4), (4.1, -5.5),
        ])
        let scores = stride(from: -20.0, through: 20, by: 0.01).map { table.matchScore(of: $0) }
        #expect(zip(scores, scores.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test(
        "the minimum score for a match score maps back to it",
        arguments: [0.0, 1, 3, 12, 24, 36, 48, 60, 72])
    func inverse(value: Double) throws {
        let table = try CalibrationTable.made([
            (-7.4, -0.25), (-2, -1), (0.5, -1.7), (0.6, -2), (4, -4), (4.1, -5.5),
        ])
        #expect(
            abs(table.matchScore(of: table.minScore(for: MatchScore(value))).value - value) < 1e-9)
    }

    @Test("JSON round-trips a table and states its form")
    func json() throws {
        let table = try CalibrationTable.made([(0, -1), (2, -2)])
        let data = try JSONEncoder().encode(table)
        #expect(try JSONDecoder().decode(CalibrationTable.self, from: data) == table)
        let other = String(decoding: data, as: UTF8.self).replacingOccurrences(
            of: #"mien-calibration\/1"#, with: "mien-calibration/3")
        #expect(throws: CalibrationError.form("mien-calibration/3")) {
            try JSONDecoder().decode(CalibrationTable.self, from: Data(other.utf8))
        }
        let rising = String(decoding: data, as: UTF8.self).replacingOccurrences(
            of: "\"logRate\":-2,\"score\":2", with: "\"logRate\":-2,\"score\":-2")
        #expect(throws: (any Error).self) {
            try JSONDecoder().decode(CalibrationTable.self, from: Data(rising.utf8 + [0x20, 0x7D]))
        }
    }

    @Test("another normalization has another form, which programs of the first one refuse")
    func normalization() throws {
        let knots = [(0.0, -1.0), (2, -2)]
        for table in [
            try CalibrationTable.made(knots, normalization: .none),
            try CalibrationTable.made(knots, normalization: .asNormShrunk, typicalDeviation: 0.04),
        ] {
            let data = try JSONEncoder().encode(table)
            #expect(String(decoding: data, as: UTF8.self).contains(#""mien-calibration\/2""#))
            #expect(try JSONDecoder().decode(CalibrationTable.self, from: data) == table)
        }
        let first = try JSONEncoder().encode(try CalibrationTable.made(knots))
        #expect(!String(decoding: first, as: UTF8.self).contains("normalization"))
    }

    @Test("the typical deviation is given exactly when it is used, and is positive")
    func typicalDeviation() {
        for (normalization, deviation) in [
            (ScoreNormalization.asNormShrunk, nil), (.asNormShrunk, 0), (.asNormShrunk, -.infinity),
            (.asNorm, 0.04), (.none, 0.04),
        ] as [(ScoreNormalization, Float?)] {
            #expect(throws: CalibrationError.deviation) {
                try CalibrationTable.made(
                    [(0, -1), (2, -2)], normalization: normalization, typicalDeviation: deviation)
            }
        }
    }

    @Test("knots that do not form a falling curve are rejected")
    func refused() {
        #expect(throws: CalibrationError.knotCount(1)) { try CalibrationTable.made([(0, -1)]) }
        #expect(throws: CalibrationError.notFalling(knot: 1)) {
            try CalibrationTable.made([(0, -1), (0, -2)])
        }
        #expect(throws: CalibrationError.notFalling(knot: 2)) {
            try CalibrationTable.made([(0, -1), (1, -2), (2, -2)])
        }
        #expect(throws: CalibrationError.knot(0)) {
            try CalibrationTable.made([(0, 0.5), (1, -2)])
        }
        #expect(throws: CalibrationError.knot(1)) {
            try CalibrationTable.made([(0, -1), (.nan, -2)])
        }
        #expect(throws: CalibrationError.knot(1)) {
            try CalibrationTable.made([(0, -1), (1, -.infinity)])
        }
    }
}
