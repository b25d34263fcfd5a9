#if canImport(UIKit) && canImport(WebKit)
    import BelfryModel
    import UIKit
    import WebKit

    /// The window of one in-app message, over the app's own.
    ///
    /// While the page is loaded it stands behind the app's window: a web view without a window is put to sleep by the
    /// system. Nobody sees it there, and no assistive technology reads it.
    @available(iOSApplicationExtension, unavailable)
    @MainActor
    final class InAppWindow: UIWindow {
        private let page: InAppWebPage
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
            // No storyboard makes it.
            return nil
        }

        /// Brings the page in front of the app.
        ///
        /// - Returns: whether it is there.
        func appear() -> Bool {
            guard windowScene?.activationState == .foregroundActive else { return false }
            let isBanner = InAppPlacement.isBanner(page.display.message.type)
            isInFront = true
            windowLevel = .normal + 1
            accessibilityElementsHidden = false
            accessibilityViewIsModal = !isBanner
            layoutIfNeeded()
            if isBanner {
                UIAccessibility.post(notification: .announcement, argument: announcement)
            } else {
                makeKey()
                UIAccessibility.post(notification: .screenChanged, argument: page.webView)
            }
            return page.webView.window === self
        }

        /// Takes the page away, and gives the keyboard back.
        func disappear() {
            let hadKeyboard = isKeyWindow
            isHidden = true
            rootViewController = nil
            windowScene = nil
            if hadKeyboard { former?.makeKey() }
            if isInFront { UIAccessibility.post(notification: .screenChanged, argument: nil) }
            isInFront = false
        }

        /// Beside a banner the app is touched.
        override func point(inside point: CGPoint, with event: UIEvent?) -> Bool {
            guard InAppPlacement.isBanner(page.display.message.type) else {
                return super.point(inside: point, with: event)
            }
            return page.webView.frame.contains(point)
        }

        private var announcement: String {
            let content = page.display.message.content
            let texts = [content.title, content.body].compactMap { $0 }
            return (texts.isEmpty ? [content.imageAlt].compactMap { $0 } : texts).joined(separator: ". ")
        }
    }

    /// Holds the page of a message, in its place.
    @MainActor
    private final class InAppViewController: UIViewController {
        private let page: InAppWebPage
        /// The app's own: the screen turns as it does, and the status bar looks as it did.
        private weak var underneath: UIViewController?
        private var height: Double?

        init(_ page: InAppWebPage, over underneath: UIViewController?) {
            self.page = page
            self.underneath = underneath
            super.init(nibName: nil, bundle: nil)
        }

        required init?(coder: NSCoder) {
            // No storyboard makes it.
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

        /// The gesture by which VoiceOver closes what is in front.
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
