internal import CMienMedia
internal import Foundation

extension Camera {
    /// The cameras of this machine, in the order of their devices' numbers.
    ///
    /// Devices that the present user may not open are in it: using one says why it cannot be used.
    public static func all() -> [Camera] {
        all(in: "/sys/class/video4linux", devices: "/dev", isCamera: givesPictures)
    }

    /// - Parameters:
    ///   - folder: one folder for each device, with its name in a file.
    ///   - isCamera: told a device's path; most cameras have a second device, which gives data
    ///     about pictures.
    static func all(in folder: String, devices: String, isCamera: (String) -> Bool) -> [Camera] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let numbered = entries.compactMap { entry in
            entry.hasPrefix("video")
                ? Int(entry.dropFirst(5)).map { (number: $0, entry: entry) } : nil
        }
        return numbered.sorted { $0.number < $1.number }.compactMap { _, entry in
            let path = "\(devices)/\(entry)"
            guard isCamera(path) else { return nil }
            let name = (try? String(contentsOfFile: "\(folder)/\(entry)/name", encoding: .utf8))?
                .trimmingCharacters(in: .whitespacesAndNewlines)
            return Camera(name: name.flatMap { $0.isEmpty ? nil : $0 } ?? entry, path: path)
        }
    }

    private static func givesPictures(_ path: String) -> Bool {
        let device = unsafe open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
        guard device >= 0 else { return errno == EACCES || errno == EPERM || errno == EBUSY }
        defer { close(device) }
        return mien_media_is_camera(device) == 1
    }
}
