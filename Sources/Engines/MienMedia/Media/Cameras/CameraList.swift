internal import Foundation
internal import SystemPackage

extension Camera {
    /// Returns the cameras of this computer, in the order of their device numbers.
    ///
    /// Includes devices that the current user may not open. Using one of them reports the reason.
    public static func all() -> [Camera] {
        all(in: "/sys/class/video4linux", devices: "/dev", inspecting: inspection)
    }

    /// - Parameters:
    ///   - folder: Contains one folder per device, with its name in a file.
    ///   - inspect: Receives a device's path. Most cameras have a second device, which provides
    ///     metadata instead of pictures.
    static func all(in folder: String, devices: String, inspecting inspect: (String) -> Inspection)
        -> [Camera]
    {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let numbered = entries.compactMap { entry in
            entry.hasPrefix("video")
                ? Int(entry.dropFirst(5)).map { (number: $0, entry: entry) } : nil
        }
        return numbered.sorted { $0.number < $1.number }.compactMap { _, entry in
            let path = "\(devices)/\(entry)"
            let inspection = inspect(path)
            if case .report(let report) = inspection, !report.givesPictures { return nil }
            if case .unusable = inspection { return nil }
            let name = (try? String(contentsOfFile: "\(folder)/\(entry)/name", encoding: .utf8))?
                .trimmingCharacters(in: .whitespacesAndNewlines)
            return Camera(
                name: name.flatMap { $0.isEmpty ? nil : $0 } ?? entry, path: path,
                isVirtual: inspection.isVirtual)
        }
    }

    /// The knowledge of a device before it is used.
    enum Inspection {
        case report(CameraReport)
        /// The current user may not open it, or another program uses it alone.
        case notAllowed
        case unusable

        var isVirtual: Bool {
            if case .report(let report) = self { report.isVirtual } else { false }
        }
    }

    private static func inspection(_ path: String) -> Inspection {
        let device: FileDescriptor
        do {
            device = try FileDescriptor.open(
                FilePath(path), .readWrite, options: [.closeOnExec, .nonBlocking])
        } catch {
            let mayBeCamera: [Errno] = [.permissionDenied, .notPermitted, .resourceBusy]
            guard let error = error as? Errno, mayBeCamera.contains(error) else { return .unusable }
            return .notAllowed
        }
        defer { try? device.close() }
        return CameraReport(device).map(Inspection.report) ?? .unusable
    }
}
