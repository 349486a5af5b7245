// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The parts of Apple's Core Video and Core Media that the SDK uses. A buffer holds a picture of
// `FakePhone`. Source: developer.apple.com/documentation/corevideo, the pages cvpixelbuffer,
// cvpixelbufferlockbaseaddress(_:_:), cvpixelbuffergetbaseaddress(_:), and
// cvpixelbuffergetbytesperrow(_:); documentation/coremedia/cmsamplebuffergetimagebuffer(_:).
@_exported import FakePhone
import Foundation

public typealias OSType = UInt32
public typealias CVReturn = Int32
public let kCVReturnSuccess: CVReturn = 0
public let kCVPixelBufferPixelFormatTypeKey = "PixelFormatType"
public let kCVPixelFormatType_32BGRA: OSType = 0x4247_5241

public final class CVBuffer: @unchecked Sendable {
    // Unchecked: between a lock and its end, one thread uses the memory.
    public let fakePicture: FakePicture
    private let hasBGRA: Bool
    private var memory: UnsafeMutableRawBufferPointer?

    /// - Parameter hasBGRA: Whether the output was asked for this format, which is the only one whose
    ///   bytes are there.
    public init(fake picture: FakePicture, hasBGRA: Bool) {
        (fakePicture, self.hasBGRA) = (picture, hasBGRA)
    }
    deinit { memory?.deallocate() }

    /// Rows have a gap at their end, as a camera's may have.
    fileprivate var bytesPerRow: Int { 4 * fakePicture.width + 64 }

    fileprivate func lock() -> CVReturn {
        guard hasBGRA else { return -6_680 }
        let (width, height) = (fakePicture.width, fakePicture.height)
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: bytesPerRow * height, alignment: 16)
        for row in 0..<height {
            for column in 0..<width {
                let color = fakePicture.color(column, row)
                for (index, byte) in [color.blue, color.green, color.red, 255].enumerated() {
                    memory[row * bytesPerRow + 4 * column + index] = byte
                }
            }
        }
        self.memory = memory
        return kCVReturnSuccess
    }

    fileprivate func unlock() {
        memory?.deallocate()
        memory = nil
    }

    fileprivate var base: UnsafeMutableRawPointer? { memory?.baseAddress }
}
public typealias CVImageBuffer = CVBuffer
public typealias CVPixelBuffer = CVImageBuffer

public struct CVPixelBufferLockFlags: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    public static let readOnly = Self(rawValue: 1)
}

public func CVPixelBufferGetWidth(_ buffer: CVPixelBuffer) -> Int { buffer.fakePicture.width }
public func CVPixelBufferGetHeight(_ buffer: CVPixelBuffer) -> Int { buffer.fakePicture.height }
public func CVPixelBufferGetBytesPerRow(_ buffer: CVPixelBuffer) -> Int { buffer.bytesPerRow }
@discardableResult
public func CVPixelBufferLockBaseAddress(_ buffer: CVPixelBuffer, _ flags: CVPixelBufferLockFlags)
    -> CVReturn
{ buffer.lock() }
@discardableResult
public func CVPixelBufferUnlockBaseAddress(
    _ buffer: CVPixelBuffer, _ flags: CVPixelBufferLockFlags
) -> CVReturn {
    buffer.unlock()
    return kCVReturnSuccess
}
public func CVPixelBufferGetBaseAddress(_ buffer: CVPixelBuffer) -> UnsafeMutableRawPointer? {
    buffer.base
}
