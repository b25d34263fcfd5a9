#if (canImport(UIKit) || canImport(AppKit)) && canImport(WebKit)
    import BelfryInAppRenderer
    import WebKit

    #if canImport(UIKit)
        import UIKit
    #else
        import AppKit
    #endif

    /// The page of an in-app message in its own web view, which stores nothing and does not navigate (IAM-12).
    @MainActor
    final class InAppWebPage: NSObject {
        /// Why a page was not loaded.
        enum LoadError: Error {
            /// The system discarded the page, or its rendering process ended.
            case failed
        }

        let display: InAppDisplay
        let webView: WKWebView
        /// Receives the page's commands, except those about the page itself.
        var said: (@MainActor (InAppBridgeCommand) -> Void)?
        /// Receives the height of the page's content.
        var resized: (@MainActor (Double) -> Void)?
        /// Called when the system has removed the page.
        var lost: (@MainActor () -> Void)?

        private var rule = InAppNavigation()
        /// The load of the page itself. A refused navigation is a different one, and not an error of the page.
        private var first: WKNavigation?
        private var loading: CheckedContinuation<Void, any Error>?

        init(_ display: InAppDisplay, frame: CGRect) {
            self.display = display
            webView = WKWebView(frame: frame, configuration: Self.configuration())
            super.init()
            webView.navigationDelegate = self
            let ear = WeakEar(self)
            webView.configuration.userContentController.add(ear, name: InAppBridge.handlerName)
            webView.allowsLinkPreview = false
            #if canImport(UIKit)
                // The page draws its own background, and the app is visible around it.
                webView.isOpaque = false
                webView.backgroundColor = .clear
                webView.scrollView.backgroundColor = .clear
                // The page handles notches and rounded corners itself.
                webView.scrollView.contentInsetAdjustmentBehavior = .never
            #endif
        }

        /// Loads the page; it returns when the page reports that it is complete, with its images.
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

        /// The text that a screen reader says when the page appears beside the app.
        var announcement: String {
            let content = display.message.content
            let texts = [content.title, content.body].compactMap { $0 }
            return (texts.isEmpty ? [content.imageAlt].compactMap { $0 } : texts).joined(separator: ". ")
        }

        /// Ends the page: no more commands are passed on.
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
            loaded(.failure(LoadError.failed))
            lost?()
        }

        /// A configuration in which the page's data is not stored and is not visible to other pages.
        private static func configuration() -> WKWebViewConfiguration {
            let configuration = WKWebViewConfiguration()
            configuration.websiteDataStore = .nonPersistent()
            // Needed for the page's own script, which is allowed by its digest; the page's policy and sandbox block the
            // marketer's.
            configuration.defaultWebpagePreferences.allowsContentJavaScript = true
            configuration.preferences.javaScriptCanOpenWindowsAutomatically = false
            configuration.mediaTypesRequiringUserActionForPlayback = .all
            #if canImport(UIKit)
                configuration.allowsInlineMediaPlayback = true
                configuration.dataDetectorTypes = []
            #endif
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

        // The system declares the type with `!`; the value is only compared and never unwrapped.
        func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
            if navigation === first { gone() }
        }

        func webView(
            _ webView: WKWebView,
            // The system declares the type with `!`; the value is only compared and never unwrapped.
            didFailProvisionalNavigation navigation: WKNavigation!,
            withError error: any Error
        ) {
            if navigation === first { gone() }
        }

        func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {
            gone()
        }
    }

    /// Listens to a page without retaining it, because a web view retains its message handlers.
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
            // The marketer's own HTML is in another frame, whose messages are ignored.
            guard message.frameInfo.isMainFrame else { return }
            page?.heard(message.body)
        }
    }
#endif
