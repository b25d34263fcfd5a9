/// To whom a page of an in-app message speaks.
public enum InAppBridge: Hashable, Sendable {
    /// To the Belfry SDK: what it says carries the nonce, which only this showing of this message knows.
    ///
    /// It posts JSON texts to the message handler ``handlerName``; ``InAppBridgeCommand`` reads them.
    case belfry(nonce: String)
    /// To an SDK of Mobile Engage v3, by its commands (v3 facts 4). That SDK knows nothing of the content, so the page
    /// holds what its buttons do.
    case v3(campaignID: String)
    /// To nobody: nothing that is pressed has an effect.
    case preview

    /// The name by which a web view offers the bridge to the page (`window.webkit.messageHandlers`).
    public static let handlerName = "belfry"
}
