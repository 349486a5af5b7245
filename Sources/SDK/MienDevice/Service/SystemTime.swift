internal import Foundation
package import MienCore

/// The machine's clock.
package enum SystemTime {
    package static func now() -> Instant {
        Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }
}
