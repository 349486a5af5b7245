extension String {
    /// Decodes UTF-8.
    ///
    /// - Returns: `nil` for bytes that are not UTF-8, without repairing them.
    package init?(validUTF8 bytes: [UInt8]) {
        if #available(iOS 18, macOS 15, *) {
            self.init(validating: bytes, as: UTF8.self)
        } else {
            self.init(unrepairedUTF8: bytes)
        }
    }

    /// Decodes UTF-8 as iOS 16 can: repairing changes bytes that are not UTF-8, and no others.
    package init?(unrepairedUTF8 bytes: [UInt8]) {
        self.init(decoding: bytes, as: UTF8.self)
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}
