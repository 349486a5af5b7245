import MienFace
import MienTesting
import Testing

@Suite struct CohortTests {
    static func dot(_ a: [Float], _ b: [Float]) -> Float {
        zip(a, b).reduce(0) { $0 + $1.0 * $1.1 }
    }

    @Test("the specification's example parses")
    func example() throws {
        let cohort = try Cohort(members: [[1, 0], [0.6, 0.8]], nearestCount: 1)
        let bytes: [UInt8] = [
            0x4D, 0x49, 0x45, 0x4E, 0x43, 0x48, 0x52, 0x54, 1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1,
            0, 0, 0, 0x04, 0x02, 0x01, 0x3C, 0x7F, 0x00,
            0x4C, 0x66,
        ]
        #expect(cohort.bytes == bytes)
        #expect(try Cohort(bytes: bytes).bytes == bytes)
    }

    @Test("storing moves no member by more than a hundredth of its length")
    func quantisation() throws {
        let (cohort, members) = try Cohort.made()
        let read = try Cohort(bytes: cohort.bytes)
        #expect(read.count == 200 && read.dimension == 20 && read.nearestCount == 10)
        for i in members.indices {
            #expect(read[i] == cohort[i])
            #expect(Self.dot(read[i], members[i]) > 0.9999)
        }
    }

    @Test("statistics match those of sorted cosines", arguments: [1, 2, 10, 199, 200])
    func statistics(nearest: Int) throws {
        let (cohort, _) = try Cohort.made(nearest: nearest)
        var people = SyntheticPeople(seed: 9, dimension: 20)
        let vector = people.direction().map { Float($0) }
        let top = (0..<cohort.count).map { Double(Self.dot(cohort[$0], vector)) }.sorted(by: >)
            .prefix(nearest)
        let mean = top.reduce(0, +) / Double(nearest)
        let deviation = (top.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(nearest))
            .squareRoot()
        let found = try cohort.statistics(of: vector)
        #expect(abs(Double(found.mean) - mean) < 1e-5)
        #expect(abs(Double(found.deviation) - max(deviation, 1e-4)) < 1e-4)
    }

    @Test("parallel, perpendicular, and opposite members all count")
    func extremes() throws {
        let cohort = try Cohort(members: [[1, 0], [0, 1], [-1, 0]], nearestCount: 3)
        let found = try cohort.statistics(of: [1.005, 0])
        #expect(
            abs(found.mean) < 1e-5
                && abs(Double(found.deviation) - 1.005 * (2.0 / 3).squareRoot()) < 1e-4)
    }

    @Test("a vector of another dimension or length is rejected")
    func vectors() throws {
        let (cohort, members) = try Cohort.made()
        #expect(throws: VectorError.dimension(expected: 20, got: 19)) {
            try cohort.statistics(of: Array(members[0].dropLast()))
        }
        #expect(throws: VectorError.self) { try cohort.statistics(of: members[0].map { $0 * 1.1 }) }
        #expect(throws: VectorError.self) {
            try cohort.statistics(of: members[0].map { _ in .nan })
        }
    }

    @Test("members that are not unit vectors of one dimension are rejected")
    func members() {
        #expect(throws: CohortError.notUnit(member: 1)) {
            try Cohort(members: [[1, 0], [1, 1]], nearestCount: 1)
        }
        #expect(throws: CohortError.notUnit(member: 1)) {
            try Cohort(members: [[1, 0], [1, 0, 0]], nearestCount: 1)
        }
        #expect(throws: CohortError.dimension(0)) { try Cohort(members: [], nearestCount: 1) }
        #expect(throws: CohortError.nearestCount(2, of: 1)) {
            try Cohort(members: [[1, 0]], nearestCount: 2)
        }
        #expect(throws: CohortError.nearestCount(0, of: 1)) {
            try Cohort(members: [[1, 0]], nearestCount: 0)
        }
    }

    @Test("every truncated or extended file is rejected")
    func truncation() throws {
        let bytes = try Cohort.made(count: 3, dimension: 4, nearest: 2).0.bytes
        for count in bytes.indices {
            #expect(throws: CohortError.self) { try Cohort(bytes: Array(bytes.prefix(count))) }
        }
        #expect(throws: CohortError.length(expected: 40, got: 41)) {
            try Cohort(bytes: bytes + [0])
        }
    }

    @Test("an inconsistent header is rejected with the matching error")
    func header() throws {
        let good = try Cohort.made(count: 3, dimension: 4, nearest: 2).0.bytes
        func with(_ offset: Int, _ value: [UInt8]) -> [UInt8] {
            Array(good[..<offset]) + value + Array(good[(offset + value.count)...])
        }
        #expect(throws: CohortError.notACohort) { try Cohort(bytes: with(0, [0])) }
        #expect(throws: CohortError.version(2)) { try Cohort(bytes: with(8, [2])) }
        #expect(throws: CohortError.dimension(0)) { try Cohort(bytes: with(12, [0])) }
        #expect(throws: CohortError.dimension(0xFFFF_FFFF)) {
            try Cohort(bytes: with(12, [255, 255, 255, 255]))
        }
        #expect(throws: CohortError.count(0)) { try Cohort(bytes: with(16, [0])) }
        #expect(throws: CohortError.nearestCount(4, of: 3)) { try Cohort(bytes: with(20, [4])) }
        #expect(throws: CohortError.scale) { try Cohort(bytes: with(24, [0, 0, 0xC0, 0x7F])) }
        #expect(throws: CohortError.notUnit(member: 0)) {
            try Cohort(bytes: with(28, [0, 0, 0, 0]))
        }
    }
}
