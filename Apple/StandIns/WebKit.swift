// Stand-in for WebKit; see README.md.
@_exported import FoundationNetworking
import UIKit

@MainActor
public final class WKWebpagePreferences {
    public var allowsContentJavaScript = true
}

@MainActor
public final class WKPreferences {
    public var javaScriptCanOpenWindowsAutomatically = true
}

@MainActor
public final class WKWebsiteDataStore {
    public static func nonPersistent() -> WKWebsiteDataStore { WKWebsiteDataStore() }
}

public struct WKAudiovisualMediaTypes: OptionSet, Sendable {
    public static let all = WKAudiovisualMediaTypes(rawValue: .max)

    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }
}

public struct WKDataDetectorTypes: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }
}

@MainActor
public final class WKFrameInfo {
    public var isMainFrame: Bool { fatalError("a stand-in is never run") }
}

@MainActor
public final class WKScriptMessage {
    public var body: Any { "" }
    public var frameInfo: WKFrameInfo { WKFrameInfo() }
}

@MainActor
public protocol WKScriptMessageHandler: AnyObject {
    func userContentController(
        _ userContentController: WKUserContentController,
        didReceive message: WKScriptMessage
    )
}

@MainActor
public final class WKUserContentController {
    public func add(_ scriptMessageHandler: any WKScriptMessageHandler, name: String) {}
    public func removeScriptMessageHandler(forName name: String) {}
}

@MainActor
public final class WKWebViewConfiguration {
    public init() {}

    public var defaultWebpagePreferences: WKWebpagePreferences! = WKWebpagePreferences()
    public var preferences = WKPreferences()
    public var websiteDataStore = WKWebsiteDataStore()
    public var userContentController = WKUserContentController()
    public var allowsInlineMediaPlayback = false
    public var mediaTypesRequiringUserActionForPlayback: WKAudiovisualMediaTypes = []
    public var dataDetectorTypes: WKDataDetectorTypes = []
}

@MainActor
public final class WKNavigation {}

public enum WKNavigationActionPolicy: Int, Sendable {
    case cancel
    case allow
}

@MainActor
public final class WKNavigationAction {
    public var targetFrame: WKFrameInfo? { nil }
    public var request: URLRequest { fatalError("a stand-in is never run") }
}

// On Apple's systems its methods are optional; here they are not, so that a wrong signature is found.
@MainActor
public protocol WKNavigationDelegate: AnyObject {
    func webView(
        _ webView: WKWebView,
        decidePolicyFor navigationAction: WKNavigationAction
    ) async -> WKNavigationActionPolicy

    func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error)

    func webView(
        _ webView: WKWebView,
        didFailProvisionalNavigation navigation: WKNavigation!,
        withError error: any Error
    )

    func webViewWebContentProcessDidTerminate(_ webView: WKWebView)
}

@MainActor
open class WKWebView: UIView {
    public weak var navigationDelegate: (any WKNavigationDelegate)?
    public var allowsLinkPreview = true
    public var configuration: WKWebViewConfiguration { WKWebViewConfiguration() }
    public var scrollView: UIScrollView { fatalError("a stand-in is never run") }

    public init(frame: CGRect, configuration: WKWebViewConfiguration) {
        super.init(frame: frame)
    }

    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    open func loadHTMLString(_ string: String, baseURL: URL?) -> WKNavigation? { nil }
    open func stopLoading() {}
}
