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
