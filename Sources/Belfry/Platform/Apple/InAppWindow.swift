#if canImport(UIKit) && canImport(WebKit)
    import BelfryModel
    import UIKit
    import WebKit

    /// The window of one in-app message, over the app's own.
    ///
    /// While the page is loaded the window is behind the app's, because the system suspends a web view without a
    /// window. There it is invisible, also to assistive technology.
    @available(iOSApplicationExtension, unavailable)
    @MainActor
    final class InAppWindow: UIWindow {
        let page: InAppWebPage
        /// The window that had the keyboard before.
        private weak var former: UIWindow?
        private var isInFront = false

        init(_ page: InAppWebPage, in scene: UIWindowScene) {
            self.page = page
            super.init(windowScene: scene)
            former = scene.windows.first { $0.isKeyWindow }
            rootViewController = InAppViewController(page, over: former?.rootViewController)
            windowLevel = .normal - 1
            backgroundColor = .clear
            accessibilityElementsHidden = true
            isHidden = false
        }

        required init?(coder: NSCoder) {
            // Not created from a storyboard.
            return nil
        }

        /// Shows the page in front of the app.
        ///
        /// - Returns: whether it is visible.
        func appear() -> Bool {
            guard windowScene?.activationState == .foregroundActive else { return false }
            let isBanner = InAppPlacement.isBanner(page.display.message.type)
            isInFront = true
            windowLevel = .normal + 1
            accessibilityElementsHidden = false
            accessibilityViewIsModal = !isBanner
            layoutIfNeeded()
            if isBanner {
                UIAccessibility.post(notification: .announcement, argument: page.announcement)
            } else {
                makeKey()
                UIAccessibility.post(notification: .screenChanged, argument: page.webView)
            }
            return page.webView.window === self
        }

        /// Removes the page, and gives the keyboard back.
        func disappear() {
            let hadKeyboard = isKeyWindow
            isHidden = true
            rootViewController = nil
            windowScene = nil
            if hadKeyboard { former?.makeKey() }
            if isInFront { UIAccessibility.post(notification: .screenChanged, argument: nil) }
            isInFront = false
        }

        /// Passes touches beside a banner on to the app.
        override func point(inside point: CGPoint, with event: UIEvent?) -> Bool {
            guard InAppPlacement.isBanner(page.display.message.type) else {
                return super.point(inside: point, with: event)
            }
            return page.webView.frame.contains(point)
        }

    }

    @available(iOSApplicationExtension, unavailable)
    extension InAppWindow {
        /// A window in the scene in front, with the page that is to be loaded.
        ///
        /// - Throws: ``InAppScreenMissing`` when no scene is in front.
        static func made(for display: InAppDisplay) throws -> InAppWindow {
            let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
            guard let scene = scenes.first(where: { $0.activationState == .foregroundActive }) else {
                throw InAppScreenMissing()
            }
            return InAppWindow(InAppWebPage(display, frame: scene.coordinateSpace.bounds), in: scene)
        }

        /// The notification that the window is gone, and its sender: the window is removed with its scene.
        var ending: (name: Notification.Name, object: AnyObject?) {
            (UIScene.didDisconnectNotification, windowScene)
        }
    }

    /// Holds the page of a message at its position.
    @MainActor
    private final class InAppViewController: UIViewController {
        private let page: InAppWebPage
        /// The app's view controller: rotation and the status bar follow it.
        private weak var underneath: UIViewController?
        private var height: Double?

        init(_ page: InAppWebPage, over underneath: UIViewController?) {
            self.page = page
            self.underneath = underneath
            super.init(nibName: nil, bundle: nil)
        }

        required init?(coder: NSCoder) {
            // Not created from a storyboard.
            return nil
        }

        override func viewDidLoad() {
            super.viewDidLoad()
            view.backgroundColor = .clear
            view.addSubview(page.webView)
            page.resized = { [weak self] height in
                self?.height = height
                self?.view.setNeedsLayout()
            }
        }

        override func viewDidLayoutSubviews() {
            super.viewDidLayoutSubviews()
            let type = page.display.message.type
            page.webView.frame = InAppPlacement.frame(of: type, height: height, in: view.bounds)
        }

        /// Called for the gesture with which VoiceOver closes the front element.
        override func accessibilityPerformEscape() -> Bool {
            page.said?(.close(.close))
            return true
        }

        override var supportedInterfaceOrientations: UIInterfaceOrientationMask {
            underneath?.supportedInterfaceOrientations ?? super.supportedInterfaceOrientations
        }

        override var preferredStatusBarStyle: UIStatusBarStyle {
            underneath?.preferredStatusBarStyle ?? super.preferredStatusBarStyle
        }

        override var prefersStatusBarHidden: Bool {
            underneath?.prefersStatusBarHidden ?? super.prefersStatusBarHidden
        }
    }
#endif
