/// A value whose text is the name of its type. ServiceLifecycle makes the text of every service for its
/// log when a server starts: by default, all that a structure holds.
package protocol NamedByType: CustomStringConvertible {}

extension NamedByType {
    package var description: String { "\(Self.self)" }
}
