#if canImport(UIKit) && canImport(WebKit)
    import BelfryInAppRenderer
    import UIKit
    import WebKit

    /// One page of an in-app message in a web view of its own, which keeps nothing and goes nowhere (IAM-12).
    @MainActor
    final class InAppWebPage: NSObject {
        /// Why a page was not loaded.
        enum Fault: Error {
            /// The system gave up the page, or the process that drew it.
            case failed
        }

        let display: InAppDisplay
        let webView: WKWebView
        /// What the page says from now on, without what is about the page itself.
        var said: (@MainActor (InAppBridgeCommand) -> Void)?
        /// The page says how high its content is.
        var resized: (@MainActor (Double) -> Void)?
        /// The system took the page away.
        var lost: (@MainActor () -> Void)?

        private var rule = InAppNavigation()
        /// The page's own load; a navigation that was refused is another one, and no fault of the page.
        private var first: WKNavigation?
        private var loading: CheckedContinuation<Void, any Error>?

        init(_ display: InAppDisplay, frame: CGRect) {
            self.display = display
            webView = WKWebView(frame: frame, configuration: Self.configuration())
            super.init()
            webView.navigationDelegate = self
            let ear = WeakEar(self)
            webView.configuration.userContentController.add(ear, name: InAppBridge.handlerName)
            // The page draws its own background, and the app is seen around it.
            webView.isOpaque = false
            webView.backgroundColor = .clear
            webView.scrollView.backgroundColor = .clear
            // The page knows of notches and rounded corners by itself.
            webView.scrollView.contentInsetAdjustmentBehavior = .never
            webView.allowsLinkPreview = false
        }

        /// Loads the page; it returns when the page says that it stands, with its pictures.
        func load() async throws {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                    guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
                    loading = continuation
                    first = webView.loadHTMLString(display.html, baseURL: nil)
                }
            } onCancel: {
                Task { @MainActor in self.loaded(.failure(CancellationError())) }
            }
        }

        /// Ends the page: it says nothing any more.
        func end() {
            loaded(.failure(CancellationError()))
            said = nil
            resized = nil
            lost = nil
            webView.stopLoading()
            webView.navigationDelegate = nil
            webView.configuration.userContentController.removeScriptMessageHandler(forName: InAppBridge.handlerName)
            webView.removeFromSuperview()
        }

        fileprivate func heard(_ body: Any) {
            guard let command = display.command(posted: body) else { return }
            switch command {
            case .loaded: loaded(.success(()))
            case .resized(let height): resized?(height)
            default: said?(command)
            }
        }

        private func loaded(_ result: Result<Void, any Error>) {
            let waiting = loading
            loading = nil
            waiting?.resume(with: result)
        }

        private func gone() {
            loaded(.failure(Fault.failed))
            lost?()
        }

        /// Nothing that a page stores outlives it, and no other page sees it.
        private static func configuration() -> WKWebViewConfiguration {
            let configuration = WKWebViewConfiguration()
            configuration.websiteDataStore = .nonPersistent()
            // The page's own script, by its digest; the marketer's is stopped by the page's policy and sandbox.
            configuration.defaultWebpagePreferences.allowsContentJavaScript = true
            configuration.preferences.javaScriptCanOpenWindowsAutomatically = false
            configuration.allowsInlineMediaPlayback = true
            configuration.mediaTypesRequiringUserActionForPlayback = .all
            configuration.dataDetectorTypes = []
            return configuration
        }
    }

    extension InAppWebPage: WKNavigationDelegate {
        func webView(
            _ webView: WKWebView,
            decidePolicyFor navigationAction: WKNavigationAction
        ) async -> WKNavigationActionPolicy {
            let target = navigationAction.targetFrame
            let frame: InAppNavigation.Frame = target.map { $0.isMainFrame ? .main : .inner } ?? .another
            return rule.allows(navigationAction.request.url, in: frame) ? .allow : .cancel
        }

        // As the system declares it; it is compared and never unwrapped.
        func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
            if navigation === first { gone() }
        }

        func webView(
            _ webView: WKWebView,
            // As the system declares it; it is compared and never unwrapped.
            didFailProvisionalNavigation navigation: WKNavigation!,
            withError error: any Error
        ) {
            if navigation === first { gone() }
        }

        func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {
            gone()
        }
    }

    /// Hears a page without keeping it: a web view keeps who listens to it.
    @MainActor
    private final class WeakEar: NSObject, WKScriptMessageHandler {
        private weak var page: InAppWebPage?

        init(_ page: InAppWebPage) {
            self.page = page
            super.init()
        }

        func userContentController(
            _ userContentController: WKUserContentController,
            didReceive message: WKScriptMessage
        ) {
            // The marketer's own HTML is in another frame, and is not listened to.
            guard message.frameInfo.isMainFrame else { return }
            page?.heard(message.body)
        }
    }
#endif
