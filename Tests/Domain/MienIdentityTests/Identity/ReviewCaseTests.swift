import MienCore
import MienIdentity
import Testing

@Suite("Review cases")
struct ReviewCaseTests {
    static let people = ["ada", "bob", "cyd"].map { AdminID("adm_\($0)")! }

    static func newCase(second: Bool) -> ReviewCase {
        ReviewCase(
            id: ReviewCaseID("cas_1")!, attempt: IdentityAttemptID("idv_1")!,
            needsSecondReviewer: second)
    }

    @Test(
        "every sequence of three decisions by three people agrees with an oracle",
        arguments: [false, true])
    func smallWorld(_ second: Bool) {
        let moves = ReviewDecision.allCases.flatMap { decision in
            Self.people.map { (decision, $0) }
        }
        for first in moves {
            for next in moves {
                for last in moves {
                    check([first, next, last], second)
                }
            }
        }
    }

    private func check(_ moves: [(ReviewDecision, AdminID)], _ second: Bool) {
        var review = Self.newCase(second: second)
        var taken: [(ReviewDecision, AdminID)] = []
        for (number, (decision, reviewer)) in moves.enumerated() {
            // Closed once anyone refused or asked again, or enough different people accepted.
            let isClosed = taken.contains { $0.0 != .accept } || taken.count >= (second ? 2 : 1)
            let isSame = taken.contains { $0.1 == reviewer }
            let now = Instant(milliseconds: Int64(number))
            do throws(ReviewError) {
                let final = try review.decide(decision, by: reviewer, at: now)
                #expect(!isClosed && !isSame)
                taken.append((decision, reviewer))
                let ends = decision != .accept || taken.count == (second ? 2 : 1)
                #expect(final == (ends ? decision : nil))
            } catch {
                #expect(error == (isClosed ? .closed : .samePerson) && (isClosed || isSame))
            }
        }
        #expect(review.entries.map(\.reviewer) == taken.map(\.1))
        #expect(review.entries.map(\.decision) == taken.map(\.0))
        if review.decision == .accept, second {
            #expect(Set(review.entries.map(\.reviewer)).count == 2)
        }
    }
}

@Suite("Evidence of verifications")
struct EvidenceRecordTests {
    static func record() throws -> EvidenceRecord {
        var record = EvidenceRecord(
            attempt: IdentityAttemptID("idv_1")!, kind: .document, user: UserID("usr_1")!,
            app: AppID("app_1")!, begunAt: Instant(milliseconds: 1_800_000_000_001),
            concludedAt: Instant(milliseconds: 1_800_000_060_002), sources: ["registry"],
            isSimulated: false, checks: IdentityChecks([.name: .passed, .live: .notChecked]),
            rulesVersion: "standard-1", pack: "mien-default-2", recommendation: .challenge,
            isVerified: true)
        let image = EvidenceRecord.Image(role: "front", sha256: Array(0..<32))
        record.images = [try #require(image)]
        var review = ReviewCaseTests.newCase(second: false)
        _ = try review.decide(
            .accept, by: ReviewCaseTests.people[0], at: Instant(milliseconds: 1_800_000_060_000))
        record.reviews = review.entries
        return record
    }

    @Test("evidence is read as it was written, and equal records have equal bytes")
    func roundTrip() throws {
        let record = try Self.record()
        let text = JSONText.write(record.json)
        let read = try EvidenceRecord(JSONText.parse(text))
        #expect(read == record && JSONText.write(read.json) == text)
        var plain = record
        (plain.pack, plain.images, plain.reviews) = (nil, [], [])
        #expect(try EvidenceRecord(plain.json) == plain)
    }

    @Test("a file with a missing, an unknown, or a malformed member is refused")
    func malformed() throws {
        guard case .object(let members) = try Self.record().json else {
            Issue.record("not an object")
            return
        }
        for name in members.keys.sorted() {
            var changed = members
            changed[name] = nil
            if name != "pack" {
                let error = #expect(throws: EvidenceError.self) {
                    try EvidenceRecord(.object(changed))
                }
                #expect(error?.member == name)
            }
            for wrong: JSONValue in [
                .null, .number(0.5), ["x": "y"], [["x": "y"]], "no such thing",
            ] {
                if ["pack", "rules_version"].contains(name), wrong.stringValue != nil { continue }
                changed[name] = wrong
                #expect(throws: EvidenceError.self, "\(name)") {
                    try EvidenceRecord(.object(changed))
                }
            }
        }
        var more = members
        more["name"] = "Ada"
        let error = #expect(throws: EvidenceError.self) { try EvidenceRecord(.object(more)) }
        #expect(error?.member == "name")
        more = members
        more["images"] = .array(
            Array(repeating: members["images"]?.arrayValue?[0] ?? .null, count: 33))
        #expect(throws: EvidenceError.self) { try EvidenceRecord(.object(more)) }
    }

    @Test("a hash has 32 bytes and a role few letters")
    func image() {
        let hash = [UInt8](repeating: 1, count: 32)
        #expect(EvidenceRecord.Image(role: "back", sha256: hash) != nil)
        for role in ["", "Back", "a b", String(repeating: "a", count: 33)] {
            #expect(EvidenceRecord.Image(role: role, sha256: hash) == nil)
        }
        #expect(EvidenceRecord.Image(role: "back", sha256: Array(hash.dropLast())) == nil)
    }
}
