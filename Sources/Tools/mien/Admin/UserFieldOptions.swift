import ArgumentParser
import Foundation
import MienAPI
import MienCore
import MienTools

/// The fields of a user.
struct UserFieldOptions: ParsableArguments {
    @Option(help: "The user name.") var username: String?
    @Option(help: "The email address.") var email: String?
    @Flag(
        inversion: .prefixedNo, exclusivity: .chooseLast,
        help:
            "Whether the address is verified (default: yes). An unverified address does not identify the user and receives no codes."
    )
    var emailVerified: Bool?
    @Option(help: ArgumentHelp("The user's ID in another system.", valueName: "id"))
    var externalId: String?
    @Flag(help: "Read the password from standard input: one line.") var passwordStdin = false
    @Option(
        help: ArgumentHelp(
            "An attribute; name:=value takes JSON. Repeatable.", valueName: "name=value"
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

    /// - Parameter attributes: the current attributes, which are sent only when they change.
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
            throw ValidationError("--attribute must look like plan=gold, not “\(text)”")
        }
        var name = text[..<sign]
        let value = String(text[text.index(after: sign)...])
        guard name.last == ":" else { return Attribute(name: String(name), value: .string(value)) }
        name.removeLast()
        guard !name.isEmpty, let parsed = try? JSONText.parse(value) else {
            throw ValidationError(
                "--attribute name:=value takes JSON, such as age:=36 or trial:=true; use name=value for text"
            )
        }
        return Attribute(name: String(name), value: parsed)
    }

    private static let maxPasswordBytes = 4096

    /// Reads the password from a pipe or a file. A terminal would show it.
    private static func password() throws -> String {
        guard isatty(0) == 0 else {
            throw ValidationError(
                "--password-stdin reads from a pipe or a file, because a terminal would show the password"
            )
        }
        let data = (try? FileHandle.standardInput.read(upToCount: maxPasswordBytes + 1)) ?? Data()
        guard data.count <= maxPasswordBytes, let text = String(validating: data, as: UTF8.self)
        else {
            throw Failure(
                .badInput, "password.malformed",
                "standard input has no password: expected one line of UTF-8")
        }
        guard let line = text.split(whereSeparator: \.isNewline).first,
            text.split(whereSeparator: \.isNewline).count == 1
        else {
            throw Failure(
                .badInput, "password.malformed",
                "standard input has no password: expected exactly one line")
        }
        return String(line)
    }
}
