/// A camera of this machine.
public struct Camera: Sendable, Hashable {
    /// What the system calls it: "Integrated Camera: Front". Two may have the same.
    public let name: String

    /// Its device: "/dev/video0".
    public let path: String

    public init(name: String, path: String) { (self.name, self.path) = (name, path) }

    /// Picks one.
    ///
    /// - Parameters:
    ///   - name: a camera's name, whatever the case of its letters, or the path of its device.
    ///     Without one the first camera whose name
    ///     contains "front" is taken, or else the first.
    /// - Throws: ``MediaError`` `.noCamera`; `.unknownCamera`, with the names that there are.
    public static func choose(from cameras: [Camera], named name: String? = nil) throws(MediaError)
        -> Camera
    {
        guard let first = cameras.first else {
            throw MediaError(
                .noCamera, "There is no camera on this machine. Plug one in, or use a video file.")
        }
        guard let name else {
            return cameras.first { $0.name.lowercased().contains("front") } ?? first
        }
        guard
            let named = cameras.first(where: {
                $0.path == name || $0.name.lowercased() == name.lowercased()
            })
        else {
            let all = cameras.map { "“\($0.name)” (\($0.path))" }.joined(separator: ", ")
            throw MediaError(
                .unknownCamera,
                "There is no camera “\(name)”. There \(cameras.count == 1 ? "is" : "are"): \(all).")
        }
        return named
    }
}
