/// The receiver of a page's commands.
public enum InAppBridge: Hashable, Sendable {
    /// The Belfry SDK: commands carry the nonce, which only this presentation of this message knows.
    ///
    /// It posts JSON texts to the message handler ``handlerName``; ``InAppBridgeCommand`` reads them.
    case belfry(nonce: String)
    /// An SDK of Mobile Engage v3, by its commands (v3 facts 4). That SDK does not know the content, so the page
    /// contains the actions of its buttons.
    case v3(campaignID: String)
    /// None: presses have no effect.
    case preview

    /// The name by which a web view offers the bridge to the page (`window.webkit.messageHandlers`).
    public static let handlerName = "belfry"
}

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
