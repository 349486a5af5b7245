// The constant of Apple's Image I/O that the SDK uses. Source:
// developer.apple.com/documentation/imageio/kcgimagedestinationlossycompressionquality.
public let kCGImageDestinationLossyCompressionQuality = "kCGImageDestinationLossyCompressionQuality"
