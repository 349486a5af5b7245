public import MienCore

/// The apps that share a face, as a text of consent names them.
///
/// A group's version grows with every change of its apps. The consent records the version that the
/// person saw, and an app uses the face only if that version named it.
public struct FaceSharing: Sendable, Hashable, Codable {
    public let group: FaceGroupID
    public let version: Int
    /// The names of the apps, in the order of the text.
    public let apps: [String]

    public init(group: FaceGroupID, version: Int, apps: [String]) {
        (self.group, self.version, self.apps) = (group, version, apps)
    }

    /// The purpose of the consent, which is recorded beside the one to store the face.
    public static let purpose = "face-sharing"

    /// The recorded version of the text. A new wording needs another word.
    public var textVersion: String { Self.textVersion(version) }

    public static func textVersion(_ version: Int) -> String { "shared-\(version)" }

    /// - Returns: The version of the group in a recorded version of the text.
    public static func version(ofText text: String) -> Int? {
        guard text.hasPrefix("shared-") else { return nil }
        return Int(text.dropFirst("shared-".count))
    }

    // MARK: The text

    private static let before = "These apps share your face, and each can recognize you with it: "
    private static let after =
        ". It replaces the faces that you registered in them before. If you remove it, it is removed for all of them."

    /// The names of the apps for a text.
    private var names: String { apps.map { "“\($0.isolated)”" }.joined(separator: ", ") }

    /// Returns a text of consent with the sentences that name the apps.
    public func named(in text: String) -> String { "\(text) \(Self.before)\(names)\(Self.after)" }

    /// Divides a text that names the apps.
    ///
    /// - Returns: The text without these sentences, and the names; `nil` for other texts.
    public static func divided(_ text: String) -> (own: String, names: String)? {
        guard text.hasSuffix(after), let start = text.lastRange(of: " \(before)") else {
            return nil
        }
        return (
            String(text[..<start.lowerBound]),
            String(text[start.upperBound...].dropLast(after.count))
        )
    }
}

extension String {
    /// The last place of a text in this one.
    fileprivate func lastRange(of text: String) -> Range<String.Index>? {
        ranges(of: text).last
    }
}
