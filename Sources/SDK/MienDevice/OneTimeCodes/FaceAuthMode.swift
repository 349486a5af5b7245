internal import Crypto
package import MienFace
public import MienVault

/// A face that may unlock OTP tokens: a person, as enrolled now. Another enrollment of the same
/// person is another mode; a migration to another model pack is not.
public struct FaceAuthMode: Sendable, Hashable {
    public let person: PersonName
    /// SHA-256 of the template with which the enrollment began.
    let enrollment: [UInt8]

    init(enrollment: [UInt8], of person: PersonName) {
        (self.person, self.enrollment) = (person, enrollment)
    }

    package init(_ template: FaceTemplate, of person: PersonName) {
        (self.person, enrollment) = (person, Self.mark(template))
    }

    /// SHA-256 of a template. It names the template without revealing the face.
    static func mark(_ template: FaceTemplate) -> [UInt8] {
        Array(SHA256.hash(data: template.bytes))
    }
}
