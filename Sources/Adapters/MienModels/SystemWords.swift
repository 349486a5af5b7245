internal import Foundation

/// Why the system refused something, in words that do not depend on how Foundation puts it.
enum SystemWords {
    static func reason(_ error: any Error) -> String {
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
        default: "the system refused (\(error.domain) \(error.code))"
        }
    }

    static func word(_ number: Int) -> String {
        unsafe String(cString: strerror(Int32(truncatingIfNeeded: number)))
    }
}
