import Foundation
import Logging
import MienClient
import MienCore
import Synchronization

/// Logs to standard error: text for people, or one JSON object per line.
enum ServerLog {
    static func logger(level: String, json: Bool) -> Logger {
        var logger = Logger(label: "mien") { label -> any LogHandler in
            json ? JSONLogHandler() : TextLogHandler(label: label)
        }
        logger.logLevel = Logger.Level(rawValue: level) ?? .info
        return logger
    }
}

/// One JSON object per line: time, level, message, and the metadata with its keys unchanged.
struct JSONLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var members: [String: JSONValue] = [:]
        for (key, value) in metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 }) {
            members[key] = .string("\(value)")
        }
        members["time"] = .string(
            Date().formatted(
                Date.ISO8601FormatStyle(includingFractionalSeconds: true, timeZone: .gmt)))
        members["level"] = .string(event.level.rawValue)
        members["message"] = .string("\(event.message)")
        FileHandle.standardError.write(Data((JSONText.write(.object(members)) + "\n").utf8))
    }
}

/// One line for people: the time, the level, the label, the metadata by key, the source, and the
/// message.
///
/// swift-log's own handler writes the same line, but formats the metadata whenever one of them changes,
/// which is twice for each request, and asks the system for the time zone's file for each line.
struct TextLogHandler: LogHandler {
    let label: String
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var more = event.metadata
        // Only its type, because an error of a library may repeat what a client sent.
        if let error = event.error {
            more = (more ?? [:]).merging(["error.type": "\(type(of: error))"]) { $1 }
        }
        let line = line(event.level, event.message, more, event.source, at: LogTime.now)
        FileHandle.standardError.write(Data(line.utf8))
    }

    func line(
        _ level: Logger.Level, _ message: Logger.Message, _ more: Logger.Metadata?,
        _ source: String, at time: String
    ) -> String {
        let all = metadata.merging(more ?? [:]) { $1 }
        let shown = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        return "\(time) \(level.rawValue) \(label):\(shown) [\(source)] \(message)\n"
    }
}

/// The local time as text, formatted once for each second.
private enum LogTime {
    private static let last = Mutex<(second: time_t, text: String)>((-1, ""))

    static var now: String {
        var second = time_t()
        unsafe time(&second)
        return last.withLock { last in
            if last.second != second { last = (second, text(second)) }
            return last.text
        }
    }

    /// In the form of swift-log: `2026-11-27T06:27:32+0000`.
    private static func text(_ second: time_t) -> String {
        var second = second
        var parts = unsafe tm()
        unsafe localtime_r(&second, &parts)
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            let count = unsafe strftime(
                buffer.baseAddress!, buffer.count, "%Y-%m-%dT%H:%M:%S%z", &parts)
            return unsafe String(
                decoding: UnsafeRawBufferPointer(buffer).prefix(count), as: UTF8.self)
        }
    }
}
