import MienAPI
import Testing

@Suite("Sign-ups") struct SignUpTests {
    private struct Story: CustomStringConvertible {
        let isDecoy, provesEmail: Bool
        let circumstances: SignUp.Circumstances

        var description: String { "decoy \(isDecoy), proved \(provesEmail), \(circumstances)" }

        /// All stories.
        static let all: [Story] = (0..<32).map { bits in
            func bit(_ position: Int) -> Bool { bits >> position & 1 == 1 }
            return Story(
                isDecoy: bit(0), provesEmail: bit(1),
                circumstances: .init(hasName: bit(2), isEmailTaken: bit(3), isExpired: bit(4)))
        }

        var ending: SignUp.Ending {
            var signUp = SignUp(isDecoy: isDecoy)
            if provesEmail { signUp.proveEmail() }
            return signUp.ending(circumstances)
        }
    }

    @Test(
        "no account becomes active with an unproved address or another account's address",
        arguments: Story.all.indices)
    func neverUnverified(_ index: Int) {
        let story = Story.all[index]
        if story.ending == .active(attachesEmail: true) {
            #expect(story.provesEmail && !story.circumstances.isEmailTaken, "\(story)")
        }
    }

    @Test("a decoy and an expired sign-up never become active", arguments: Story.all.indices)
    func neverUsable(_ index: Int) {
        let story = Story.all[index]
        if story.isDecoy || story.circumstances.isExpired {
            #expect(story.ending == .refused, "\(story)")
        }
    }

    @Test(
        "all others become active exactly if there is something to sign in with and no proved address belongs to another account",
        arguments: Story.all.indices)
    func others(_ index: Int) {
        let story = Story.all[index], found = story.circumstances
        guard !story.isDecoy, !found.isExpired else { return }
        switch (found.hasName, story.provesEmail, found.isEmailTaken) {
        case (_, true, false): #expect(story.ending == .active(attachesEmail: true))
        case (_, true, true), (false, false, _): #expect(story.ending == .refused)
        case (true, false, _): #expect(story.ending == .active(attachesEmail: false))
        }
    }

    @Test("a code is mailed only for a free name and a free address")
    func mails() {
        for isDecoy in [false, true] {
            for isTaken in [false, true] {
                #expect(
                    SignUp(isDecoy: isDecoy).mailsCode(isEmailTaken: isTaken)
                        == (!isDecoy && !isTaken))
            }
        }
    }
}
