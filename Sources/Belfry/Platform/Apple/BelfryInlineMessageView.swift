#if canImport(UIKit) && canImport(WebKit)
    import BelfryInAppRenderer
    import UIKit
    import WebKit

    /// A place in the app's own views for inline messages (IAM-12). It asks for its message whenever it comes into a
    /// window and, while it is empty, whenever one may have come; it counts it, and is without height as long as there
    /// is none.
    ///
    /// Give it a width; it knows its height by itself (`intrinsicContentSize`).
    @MainActor
    public final class BelfryInlineMessageView: UIView {
        /// Hears of the height that the message needs, in points; 0 for none.
        public var heightChanged: (@MainActor (CGFloat) -> Void)?

        /// The place's name, as marketers write it; compared without case. Another name asks anew.
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
        ///   - viewID: the place's name, as marketers write it; compared without case.
        ///   - client: the app's.
        public init(viewID: String, client: BelfryClient) {
            self.viewID = viewID
            self.client = client
            super.init(frame: .zero)
        }

        /// None: no storyboard knows the client.
        public required init?(coder: NSCoder) {
            return nil
        }

        /// As high as the message needs it, and as wide as the app wants it.
        public override var intrinsicContentSize: CGSize {
            CGSize(width: UIView.noIntrinsicMetric, height: height)
        }

        /// In a window it asks for its message; without one it gives it up.
        public override func didMoveToWindow() {
            super.didMoveToWindow()
            updates?.cancel()
            updates = nil
            guard window != nil else { return clear() }
            listen()
            reload()
        }

        /// An empty place asks again when there may be something for it.
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

        /// Asks for the message anew, such as after a login.
        public func reload() {
            clear()
            work = Task { [weak self, viewID, client] in
                // A fault leaves the place empty; the decisions tell of it.
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
                // Recalled, or another person's by now.
                // Another message may have the place.
                if !Task.isCancelled, self?.shown?.page === page { self?.reload() }
            }
            do {
                try await page.load()
                try await client.inlineMessageShown(inline)
            } catch {
                if shown?.page === page { clear() }
            }
        }

        /// One after the other, in the order in which they were said.
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
            // Only its time on the screen is told here; a storage that fails tells it by itself.
            Task { [client] in try? await client.inlineMessageClosed(inline) }
        }

        /// Never without height: a page that has none is not laid out.
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
