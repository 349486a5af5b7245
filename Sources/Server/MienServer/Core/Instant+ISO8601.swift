internal import Foundation
internal import MienCore

extension Instant {
    /// `2026-11-21T19:52:29Z`
    package var iso8601: String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000).formatted(.iso8601)
    }
}
