import MienCore
import Testing

@testable import MienJourney

@Suite("Failures that the client sees")
struct StepFailureTests {
    @Test("the next prompt carries the last failure, until the client responds")
    func prompt() throws {
        var play = try Play(Made.faceLogin)
        #expect(try play.start().prompt?.failure == nil)
        let check = try play.respond("password", ["username": "ada", "password": "wrong"])
        let form = try play.answer(check, .refused(.invalidCredentials))
        #expect(form.prompt?.journeyStepID == "loginForm")
        #expect(form.prompt?.failure == .invalidCredentials)
        // Another way out of the same form: the failure is history.
        let opening = try play.respond("face", ["user_identifier": "ada"])
        let selfie = try play.answer(
            opening, .captureOpened(Made.capture, startToken: "token"))
        #expect(selfie.prompt?.failure == nil)
    }

    @Test("strangers get one code for every cause, and a failure survives being stored")
    func causes() throws {
        for code: StepErrorCode in [.invalidCredentials, .locked, .notRegistered, .userMissing] {
            var play = try Play(Made.faceLogin)
            _ = try play.start()
            let check = try play.respond("password", ["username": "ada", "password": "wrong"])
            let form = try play.answer(check, .refused(code))
            #expect(form.prompt?.failure == .invalidCredentials, "\(code)")
        }
    }
}
