internal import Foundation
internal import SystemPackage

/// Describes system errors in words that do not depend on Foundation's wording.
enum SystemWords {
    static func reason(_ error: any Error) -> String {
        if let error = error as? Errno { return word(Int(error.rawValue)) }
        let error = error as NSError
        if let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError,
            underlying.domain == NSPOSIXErrorDomain
        {
            return word(underlying.code)
        }
        if error.domain == NSPOSIXErrorDomain { return word(error.code) }
        return switch (error as? CocoaError)?.code {
        case .fileNoSuchFile?, .fileReadNoSuchFile?: word(Int(ENOENT))
        case .fileWriteNoPermission?, .fileReadNoPermission?: word(Int(EACCES))
        case .fileWriteOutOfSpace?: word(Int(ENOSPC))
        case .fileWriteFileExists?: word(Int(EEXIST))
        case .fileWriteVolumeReadOnly?: word(Int(EROFS))
        default: "the system reported an error (\(error.domain) \(error.code))"
        }
    }

    static func word(_ number: Int) -> String {
        unsafe String(cString: strerror(Int32(truncatingIfNeeded: number)))
    }
}
