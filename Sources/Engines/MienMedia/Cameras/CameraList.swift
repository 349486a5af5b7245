internal import CMienMedia
internal import Foundation
internal import SystemPackage

extension Camera {
    /// Returns the cameras of this computer, in the order of their device numbers.
    ///
    /// Includes devices that the current user may not open. Using one of them reports the reason.
    public static func all() -> [Camera] {
        all(in: "/sys/class/video4linux", devices: "/dev", isCamera: givesPictures)
    }

    /// - Parameters:
    ///   - folder: Contains one folder per device, with its name in a file.
    ///   - isCamera: Receives a device's path. Most cameras have a second device, which provides
    ///     metadata instead of pictures.
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
        let device: FileDescriptor
        do {
            device = try FileDescriptor.open(
                FilePath(path), .readWrite, options: [.closeOnExec, .nonBlocking])
        } catch {
            return [Errno.permissionDenied, .notPermitted, .resourceBusy].contains(error as? Errno)
        }
        defer { try? device.close() }
        return mien_media_is_camera(device.rawValue) == 1
    }
}
