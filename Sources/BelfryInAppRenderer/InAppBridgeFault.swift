/// Why what a page said is not heeded.
public enum InAppBridgeFault: Error, Hashable, Sendable {
    /// No JSON object of a size that a page of ours would send.
    case unreadable
    /// Another page's nonce, or none.
    case wrongNonce
    case unknownCommand
    /// The field is missing, of another type or outside of its limits.
    case invalidField(String)
    /// A link that may not be opened (``InAppLinks``).
    case linkRefused
}
