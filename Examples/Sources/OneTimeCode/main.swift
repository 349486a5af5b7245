// Computes the time-based code of an authenticator app, and checks a typed one.
//
//     swift run -c release OneTimeCode GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ          # a code for now
//     swift run -c release OneTimeCode GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ 287082 59
//
// The arguments are a secret in base32, a code to check, and the time in seconds since 1970, which
// is now unless given. The first form prints the code and how long it is the current one:
//
//     287082, for 1 more second
//
// The second prints "accepted" or "refused". The exit status is 0 for a code or an accepted one, 1
// for a refused one, and 2 for a wrong argument.

import Foundation
import MienCore
import MienKeys

let arguments = CommandLine.arguments.dropFirst()
guard (1...3).contains(arguments.count) else {
    fail("usage: OneTimeCode SECRET [CODE [SECONDS]]")
}
let typed = arguments.dropFirst().first, clock = Int64(Date().timeIntervalSince1970)
guard let seconds = arguments.dropFirst(2).first.map({ Int64($0) }) ?? clock else {
    fail("the time must be a whole number of seconds since 1970")
}
let now = Instant(seconds: seconds)
do {
    let secret = try OTPSecret(base32: arguments.first!), totp = try TOTP()
    guard let typed else {
        let left = totp.secondsLeft(at: now) ?? 0, seconds = left == 1 ? "second" : "seconds"
        print("\(try totp.code(at: now, with: secret).text), for \(left) more \(seconds)")
        exit(0)
    }
    guard let code = OneTimeCode(typed: typed) else { fail("a code needs 1 to 128 digits") }
    // Keep the verifier with the user: it remembers the last step, so that no code is used twice.
    var verifier = try TOTPVerifier()
    switch verifier.verify(code, totp, with: secret, at: now) {
    case .accepted:
        print("accepted")
        exit(0)
    case .refused:
        print("refused")
        exit(1)
    }
} catch {
    fail("\(error)")
}

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("\(message)\n".utf8))
    exit(2)
}
