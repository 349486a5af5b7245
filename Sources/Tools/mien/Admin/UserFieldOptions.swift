import ArgumentParser
import Foundation
import MienAPI
import MienCore

/// What a user has.
struct UserFieldOptions: ParsableArguments {
    @Option(help: "The user name.") var username: String?
    @Option(help: "The e-mail address.") var email: String?
    @Flag(
        inversion: .prefixedNo, exclusivity: .chooseLast,
        help:
            "Whether you vouch for the address (default: yes). An unverified address never names the user and gets no codes."
    )
    var emailVerified: Bool?
    @Option(help: ArgumentHelp("What another system calls the user.", valueName: "id"))
    var externalId: String?
    @Flag(help: "Read the password from standard input: one line.") var passwordStdin = false
    @Option(
        help: ArgumentHelp(
            "An attribute; name:=value takes JSON. Can come several times.", valueName: "name=value"
        ), transform: attribute)
    var attribute: [Attribute] = []

    struct Attribute: Sendable {
        let name: String
        let value: JSONValue
    }

    var isEmpty: Bool {
        username == nil && email == nil && emailVerified == nil && externalId == nil
            && !passwordStdin && attribute.isEmpty
    }

    /// - Parameter attributes: those there are; sent only when they change.
    func request(attributes: [String: JSONValue], removing removed: [String] = []) throws
        -> UserRequest
    {
        var changed = attributes
        for name in removed { changed[name] = nil }
        for attribute in attribute { changed[attribute.name] = attribute.value }
        return UserRequest(
            externalID: externalId, username: username, email: email, emailVerified: emailVerified,
            password: passwordStdin ? try Self.password() : nil,
            attributes: changed == attributes ? nil : changed)
    }

    @Sendable private static func attribute(_ text: String) throws -> Attribute {
        guard let sign = text.firstIndex(of: "="), sign != text.startIndex else {
            throw ValidationError("--attribute is like plan=gold, not “\(text)”")
        }
        var name = text[..<sign]
        let value = String(text[text.index(after: sign)...])
        guard name.last == ":" else { return Attribute(name: String(name), value: .string(value)) }
        name.removeLast()
        guard !name.isEmpty, let parsed = try? JSONText.parse(value) else {
            throw ValidationError(
                "--attribute name:=value takes JSON, such as age:=36 or trial:=true; a text is name=value"
            )
        }
        return Attribute(name: String(name), value: parsed)
    }

    private static let maxPasswordBytes = 4096

    /// Never typed: a terminal would show it.
    private static func password() throws -> String {
        guard isatty(0) == 0 else {
            throw ValidationError(
                "--password-stdin reads from a pipe or a file, not from the terminal, which would show the password"
            )
        }
        let data = (try? FileHandle.standardInput.read(upToCount: maxPasswordBytes + 1)) ?? Data()
        guard data.count <= maxPasswordBytes, let text = String(validating: data, as: UTF8.self)
        else {
            throw Failure(
                .badInput, "password.malformed",
                "standard input holds no password: one line of UTF-8 is expected")
        }
        guard let line = text.split(whereSeparator: \.isNewline).first,
            text.split(whereSeparator: \.isNewline).count == 1
        else {
            throw Failure(
                .badInput, "password.malformed",
                "standard input holds no password: one line is expected, neither none nor several")
        }
        return String(line)
    }
}
