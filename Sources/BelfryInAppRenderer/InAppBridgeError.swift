/// Why a page's command is ignored.
public enum InAppBridgeError: Error, Hashable, Sendable {
    /// Not a JSON object of an allowed size.
    case unreadable
    /// Another page's nonce, or none.
    case wrongNonce
    case unknownCommand
    /// The field is missing, of another type or outside of its limits.
    case invalidField(String)
    /// A link that may not be opened (``InAppLinks``).
    case linkRefused
}
