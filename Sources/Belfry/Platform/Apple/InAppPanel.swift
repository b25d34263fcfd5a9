#if canImport(AppKit) && !canImport(UIKit) && canImport(WebKit)
    import AppKit
    import BelfryModel
    import WebKit

    /// The panel of one in-app message, over the content of a window of the app (IAM-17). It is attached to that window:
    /// it moves, hides and closes with it.
    ///
    /// While the page is loaded the panel is behind the window, because a web view without a window is suspended.
    @MainActor
    final class InAppPanel: NSPanel {
        let page: InAppWebPage
        private weak var host: NSWindow?
        private var height: Double?
        private var isInFront = false
        private var hadKeyboard = false
        private var watch: (any NSObjectProtocol)?

        init(_ page: InAppWebPage, over host: NSWindow) {
            self.page = page
            self.host = host
            let content = host.contentRect(forFrameRect: host.frame)
            super.init(
                contentRect: content, styleMask: [.borderless, .nonactivatingPanel], backing: .buffered, defer: false
            )
            // Released only by the presentation, which owns it.
            isReleasedWhenClosed = false
            hidesOnDeactivate = false
            hasShadow = false
            ignoresMouseEvents = true
            let holder = NSView(frame: NSRect(origin: .zero, size: content.size))
            contentView = holder
            page.webView.frame = holder.frame
            page.webView.autoresizingMask = [.width, .height]
            holder.addSubview(page.webView)
            page.resized = { [weak self] height in
                self?.height = height
                self?.place()
            }
            host.addChildWindow(self, ordered: .below)
        }

        /// A panel over the window in front, with the page that is to be loaded.
        ///
        /// - Throws: ``InAppScreenMissing`` when the app has no window on the screen.
        static func made(for display: InAppDisplay) throws -> InAppPanel {
            let app = NSApplication.shared
            let windows = [app.mainWindow, app.keyWindow].compactMap { $0 } + app.windows
            guard app.isActive,
                let host = windows.first(where: { !($0 is NSPanel) && $0.isVisible && !$0.isMiniaturized })
            else { throw InAppScreenMissing() }
            let frame = NSRect(origin: .zero, size: host.contentRect(forFrameRect: host.frame).size)
            return InAppPanel(InAppWebPage(display, frame: frame), over: host)
        }

        /// The notification that the panel is gone, and its sender: the panel is removed with its window.
        var ending: (name: Notification.Name, object: AnyObject?) {
            (NSWindow.willCloseNotification, host)
        }

        /// Shows the page over the window.
        ///
        /// - Returns: whether it is visible.
        func appear() -> Bool {
            guard NSApplication.shared.isActive, let host, host.isVisible, !host.isMiniaturized else { return false }
            isInFront = true
            ignoresMouseEvents = false
            host.removeChildWindow(self)
            host.addChildWindow(self, ordered: .above)
            place()
            follow(host)
            if InAppPlacement.isBanner(page.display.message.type) {
                NSAccessibility.post(
                    element: host, notification: .announcementRequested,
                    userInfo: [.announcement: page.announcement]
                )
            } else {
                hadKeyboard = host.isKeyWindow
                makeKey()
                NSAccessibility.post(element: page.webView, notification: .layoutChanged)
            }
            return isVisible && page.webView.window === self
        }

        /// Removes the page, and gives the keyboard back.
        func disappear() {
            if let watch { NotificationCenter.default.removeObserver(watch) }
            watch = nil
            host?.removeChildWindow(self)
            // If it were only ordered out, it would stay among the app's windows.
            close()
            contentView = nil
            if hadKeyboard { host?.makeKey() }
            hadKeyboard = false
            isInFront = false
        }

        /// A panel without a title bar gets the keyboard only if this is true. A banner leaves it to the app.
        override var canBecomeKey: Bool {
            isInFront && !InAppPlacement.isBanner(page.display.message.type)
        }

        /// Called for the Escape key.
        override func cancelOperation(_ sender: Any?) {
            page.said?(.close(.close))
        }

        private func follow(_ host: NSWindow) {
            let name = NSWindow.didResizeNotification
            watch = NotificationCenter.default.addObserver(forName: name, object: host, queue: nil) { [weak self] _ in
                // The system posts it on the main thread; a post from another thread is not the system's.
                if Thread.isMainThread { MainActor.assumeIsolated { self?.place() } }
            }
        }

        /// Positions the panel. AppKit counts upwards from the lower edge, the placement downwards from the upper one.
        private func place() {
            guard let host else { return }
            let content = host.contentRect(forFrameRect: host.frame)
            let bounds = CGRect(origin: .zero, size: content.size)
            let placed = InAppPlacement.frame(of: page.display.message.type, height: height, in: bounds)
            let frame = NSRect(
                x: content.minX + placed.minX, y: content.maxY - placed.maxY, width: placed.width, height: placed.height
            )
            setFrame(frame, display: true)
        }
    }
#endif
