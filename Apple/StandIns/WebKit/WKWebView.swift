// Stand-in for WebKit; see ../README.md.
@_exported import FoundationNetworking

#if canImport(UIKit)
    import UIKit

    public typealias WebViewBase = UIView
#else
    import AppKit

    public typealias WebViewBase = NSView
#endif

@MainActor
public final class WKNavigation {}

public enum WKNavigationActionPolicy: Int, Sendable {
    case cancel
    case allow
}

@MainActor
public final class WKFrameInfo {
    public let isMainFrame: Bool

    init(isMainFrame: Bool) {
        self.isMainFrame = isMainFrame
    }
}

/// A navigation that a delegate decides about. It has no target frame where it would open a window (page targetFrame).
@MainActor
public final class WKNavigationAction {
    public let targetFrame: WKFrameInfo?
    public let request: URLRequest

    init(_ url: URL, in targetFrame: WKFrameInfo?) {
        self.targetFrame = targetFrame
        request = URLRequest(url: url)
    }
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

/// A view with a page. Its delegate is asked about every navigation, the first one, too; only what it allows is loaded
/// (pages WKWebView and WKNavigationDelegate).
@MainActor
open class WKWebView: WebViewBase {
    public weak var navigationDelegate: (any WKNavigationDelegate)?
    public var allowsLinkPreview = true
    /// A copy of what it was made with; later changes of the original have no effect, and the content controller is
    /// shared (page configuration).
    public let configuration: WKWebViewConfiguration
    #if canImport(UIKit)
        public let scrollView = UIScrollView(frame: .zero)
    #endif

    // What a test sets and reads.

    /// The script of every page, by its HTML: it runs once the page is loaded and the view is in a window.
    public static var pageScript: (@MainActor (WKWebView, String) -> Void)?
    public private(set) static var all: [Weak] = []
    /// The page that is loaded.
    public private(set) var html: String?
    /// The address of a page of the web.
    public private(set) var address: URL?
    public private(set) var isStopped = false
    private var waiting: String?
    private var first: WKNavigation?

    public struct Weak {
        public weak var view: WKWebView?
    }

    public init(frame: CGRect, configuration: WKWebViewConfiguration) {
        self.configuration = configuration.copied
        super.init(frame: frame)
        Self.all = Self.all.filter { $0.view != nil } + [Weak(view: self)]
    }

    public required init?(coder: NSCoder) {
        configuration = WKWebViewConfiguration()
        super.init(coder: coder)
    }

    public static func restart() {
        pageScript = nil
        all = []
    }

    /// The main frame navigates to the base address, `about:blank` without one (page loadHTMLString(_:baseURL:)).
    @discardableResult
    open func loadHTMLString(_ string: String, baseURL: URL?) -> WKNavigation? {
        let navigation = WKNavigation()
        first = navigation
        isStopped = false
        Task {
            guard await navigate(to: baseURL?.absoluteString ?? "about:blank", in: .main), !isStopped else { return }
            html = string
            waiting = string
            runScript()
        }
        return navigation
    }

    /// The main frame navigates to an address (page load(_:)). The stand-in loads no page of the web.
    @discardableResult
    open func load(_ request: URLRequest) -> WKNavigation? {
        address = request.url
        return WKNavigation()
    }

    open func stopLoading() {
        isStopped = true
    }

    /// Where a navigation leads.
    public enum Target: Sendable {
        case main, inner, newWindow
    }

    /// The page, or a person in it, navigates.
    ///
    /// - Returns: whether the delegate allows it.
    public func navigate(to address: String, in target: Target) async -> Bool {
        guard let delegate = navigationDelegate, let url = URL(string: address) else { return false }
        let frame: WKFrameInfo? =
            switch target {
            case .main: WKFrameInfo(isMainFrame: true)
            case .inner: WKFrameInfo(isMainFrame: false)
            case .newWindow: nil
            }
        return await delegate.webView(self, decidePolicyFor: WKNavigationAction(url, in: frame)) == .allow
    }

    /// The page posts to `window.webkit.messageHandlers`: a name that nobody handles does not exist there.
    public func post(_ body: Any, to name: String, fromMainFrame: Bool = true) {
        let message = WKScriptMessage(body, WKFrameInfo(isMainFrame: fromMainFrame))
        let controller = configuration.userContentController
        controller.handlers[name]?.userContentController(controller, didReceive: message)
    }

    /// The system ends the page's process, for example for its memory (page webViewWebContentProcessDidTerminate(_:)).
    public func terminateProcess() {
        html = nil
        navigationDelegate?.webViewWebContentProcessDidTerminate(self)
    }

    /// A navigation fails: that of the page itself, or another one, before and after its content has begun to arrive
    /// (pages webView(_:didFailProvisionalNavigation:withError:) and webView(_:didFail:withError:)).
    public func fail(first isFirst: Bool) {
        struct Unreachable: Error {}
        let navigation = isFirst ? first : WKNavigation()
        navigationDelegate?.webView(self, didFailProvisionalNavigation: navigation, withError: Unreachable())
        navigationDelegate?.webView(self, didFail: navigation, withError: Unreachable())
    }

    /// A web view that is in no window is suspended (page WKPreferences.inactiveSchedulingPolicy): its script waits.
    private func runScript() {
        guard window != nil, let page = waiting else { return }
        waiting = nil
        Self.pageScript?(self, page)
    }

    #if canImport(UIKit)
        open override func didMoveToWindow() {
            super.didMoveToWindow()
            runScript()
        }
    #else
        open override func viewDidMoveToWindow() {
            super.viewDidMoveToWindow()
            runScript()
        }
    #endif
}
