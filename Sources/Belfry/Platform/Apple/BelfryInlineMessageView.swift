#if canImport(UIKit) && canImport(WebKit)
    import BelfryInAppRenderer
    import UIKit
    import WebKit

    /// A view for inline messages (IAM-12). It requests its message whenever it comes into a window and, while it is
    /// empty, whenever there may be a new one. It counts the message, and has no height without one.
    ///
    /// Give it a width; it sets its own height (`intrinsicContentSize`).
    @MainActor
    public final class BelfryInlineMessageView: UIView {
        /// Called with the height that the message needs, in points; 0 for none.
        public var heightChanged: (@MainActor (CGFloat) -> Void)?

        /// The view's id in campaigns, compared case-insensitively. When it changes, the message is requested again.
        public var viewID: String {
            didSet {
                if viewID.lowercased() != oldValue.lowercased(), window != nil { reload() }
            }
        }
        private let client: BelfryClient
        private var shown: (inline: InlineMessage, page: InAppWebPage)?
        private var work: Task<Void, Never>?
        private var watch: Task<Void, Never>?
        private var updates: Task<Void, Never>?
        private var height: CGFloat = 0

        /// - Parameters:
        ///   - viewID: the view's id in campaigns, compared case-insensitively.
        ///   - client: the app's client.
        public init(viewID: String, client: BelfryClient) {
            self.viewID = viewID
            self.client = client
            super.init(frame: .zero)
        }

        /// Returns nil: a storyboard cannot provide the client.
        public required init?(coder: NSCoder) {
            return nil
        }

        /// As high as the message needs, and as wide as the app wants.
        public override var intrinsicContentSize: CGSize {
            CGSize(width: UIView.noIntrinsicMetric, height: height)
        }

        /// In a window it requests its message; without one it gives the message up.
        public override func didMoveToWindow() {
            super.didMoveToWindow()
            updates?.cancel()
            updates = nil
            guard window != nil else { return clear() }
            listen()
            reload()
        }

        /// An empty view requests a message when there may be one.
        private func listen() {
            let news = client.inlineMessageUpdates
            updates = Task { [weak self] in
                for await _ in news {
                    guard let self, !Task.isCancelled else { return }
                    if shown == nil { reload() }
                }
            }
        }

        /// Keeps the page as large as the view.
        public override func layoutSubviews() {
            super.layoutSubviews()
            shown?.page.webView.frame = pageFrame
        }

        /// Requests the message again, for example after a login.
        public func reload() {
            clear()
            work = Task { [weak self, viewID, client] in
                // After an error the view stays empty; `inAppDecisions` has the reason.
                guard let inline = try? await client.inlineMessage(viewID: viewID) else { return }
                if Task.isCancelled { try? await client.inlineMessageClosed(inline) } else { await self?.show(inline) }
            }
        }

        private func show(_ inline: InlineMessage) async {
            let page = InAppWebPage(inline.display, frame: pageFrame)
            shown = (inline, page)
            page.resized = { [weak self] height in self?.take(CGFloat(height)) }
            page.said = { [weak self] command in self?.heard(command, of: inline) }
            page.lost = { [weak self] in self?.clear() }
            addSubview(page.webView)
            watch = Task { [weak self, client] in
                await client.inlineMessageEnded(inline)
                // The message was recalled, or the person has changed. Another message may be shown here.
                if !Task.isCancelled, self?.shown?.page === page { self?.reload() }
            }
            do {
                try await page.load()
                try await client.inlineMessageShown(inline)
            } catch {
                if shown?.page === page { clear() }
            }
        }

        /// Performs the page's commands one after the other, in the order in which they were sent.
        private func heard(_ command: InAppBridgeCommand, of inline: InlineMessage) {
            let former = work
            work = Task { [weak self, client] in
                await former?.value
                guard let isOver = try? await client.inlineMessage(inline, said: command), isOver else { return }
                self?.clear()
            }
        }

        private func clear() {
            guard let (inline, page) = shown else {
                work?.cancel()
                return
            }
            shown = nil
            watch?.cancel()
            page.end()
            take(0)
            // Only the time on the screen is reported here; a failure of the storage is reported separately.
            Task { [client] in try? await client.inlineMessageClosed(inline) }
        }

        /// At least one point high, because a page without height is not laid out.
        private var pageFrame: CGRect {
            CGRect(x: bounds.minX, y: bounds.minY, width: bounds.width, height: max(bounds.height, 1))
        }

        private func take(_ height: CGFloat) {
            guard height != self.height else { return }
            self.height = height
            invalidateIntrinsicContentSize()
            heightChanged?(height)
        }
    }
#endif
