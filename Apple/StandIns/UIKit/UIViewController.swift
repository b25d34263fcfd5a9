import Foundation

public struct UIInterfaceOrientationMask: OptionSet, Sendable {
    public static let portrait = UIInterfaceOrientationMask(rawValue: 1 << 1)
    public static let allButUpsideDown = UIInterfaceOrientationMask(rawValue: 0b11010)

    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }
}

public enum UIStatusBarStyle: Int, Sendable {
    case `default`
    case lightContent
}

@MainActor
public final class UINavigationItem {
    public var title: String?
    public var prompt: String?
    public var rightBarButtonItem: UIBarButtonItem?
}

@MainActor
public final class UIBarButtonItem {
    public let title: String?
    public let primaryAction: UIAction?

    public init(title: String?, image: UIImage? = nil, primaryAction: UIAction? = nil, menu: UIMenu? = nil) {
        self.title = title
        self.primaryAction = primaryAction
    }
}

public final class UIImage: Sendable {}
public final class UIMenu: Sendable {}

@MainActor
public final class UIAction {
    public let title: String
    public let handler: @MainActor (UIAction) -> Void

    public init(title: String = "", handler: @escaping @MainActor (UIAction) -> Void) {
        self.title = title
        self.handler = handler
    }
}

/// Its view is made when it is first asked for, and only then `viewDidLoad()` is called (page UIViewController).
@MainActor
open class UIViewController: UIResponder {
    public var title: String?
    public let navigationItem = UINavigationItem()
    public private(set) weak var navigationController: UINavigationController?
    public private(set) var presentedViewController: UIViewController?
    private var loaded: UIView?

    open var supportedInterfaceOrientations: UIInterfaceOrientationMask { .allButUpsideDown }
    open var preferredStatusBarStyle: UIStatusBarStyle { .default }
    open var prefersStatusBarHidden: Bool { false }

    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
        super.init()
    }

    public required init?(coder: NSCoder) {
        super.init()
    }

    public var viewIfLoaded: UIView? { loaded }

    public var view: UIView! {
        get {
            if let loaded { return loaded }
            loadView()
            let view = loaded ?? UIView(frame: .zero)
            take(view)
            viewDidLoad()
            return view
        }
        set { take(newValue) }
    }

    private func take(_ view: UIView) {
        loaded = view
        view.owner = self
        view.autoresizingMask = [.flexibleWidth, .flexibleHeight]
    }

    open func loadView() {
        take(UIView(frame: .zero))
    }

    open func viewDidLoad() {}
    open func viewWillAppear(_ animated: Bool) {}
    open func viewDidAppear(_ animated: Bool) {}
    open func viewWillDisappear(_ animated: Bool) {}
    open func viewDidDisappear(_ animated: Bool) {}
    open func viewWillLayoutSubviews() {}
    open func viewDidLayoutSubviews() {}
    open func accessibilityPerformEscape() -> Bool { false }

    open func present(
        _ viewControllerToPresent: UIViewController, animated flag: Bool, completion: (() -> Void)? = nil
    ) {
        presentedViewController = viewControllerToPresent
        viewControllerToPresent.appear()
        completion?()
    }

    open func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) {
        presentedViewController?.disappear()
        presentedViewController = nil
        completion?()
    }

    open func appear() {
        _ = view
        viewWillAppear(false)
        viewDidAppear(false)
    }

    open func disappear() {
        viewWillDisappear(false)
        viewDidDisappear(false)
    }

    func belongs(to navigation: UINavigationController?) {
        navigationController = navigation
    }
}

/// A stack of view controllers of which the top one is shown (page UINavigationController).
@MainActor
open class UINavigationController: UIViewController {
    public private(set) var viewControllers: [UIViewController] = []

    public var topViewController: UIViewController? { viewControllers.last }

    public init(rootViewController: UIViewController) {
        super.init(nibName: nil, bundle: nil)
        viewControllers = [rootViewController]
        rootViewController.belongs(to: self)
    }

    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    open override func appear() {
        super.appear()
        topViewController?.appear()
    }

    open override func disappear() {
        topViewController?.disappear()
        super.disappear()
    }

    open func pushViewController(_ viewController: UIViewController, animated: Bool) {
        topViewController?.disappear()
        viewControllers.append(viewController)
        viewController.belongs(to: self)
        viewController.appear()
    }

    @discardableResult
    open func popViewController(animated: Bool) -> UIViewController? {
        guard viewControllers.count > 1 else { return nil }
        let former = viewControllers.removeLast()
        former.disappear()
        former.belongs(to: nil)
        topViewController?.appear()
        return former
    }
}

@MainActor
public final class UIAlertAction {
    public enum Style: Int, Sendable {
        case `default`
        case cancel
    }

    public let title: String?

    public init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) {
        self.title = title
    }
}

@MainActor
public final class UIAlertController: UIViewController {
    public enum Style: Int, Sendable {
        case actionSheet
        case alert
    }

    public let message: String?
    public private(set) var actions: [UIAlertAction] = []

    public init(title: String?, message: String?, preferredStyle: Style) {
        self.message = message
        super.init(nibName: nil, bundle: nil)
        self.title = title
    }

    public required init?(coder: NSCoder) {
        return nil
    }

    public func addAction(_ action: UIAlertAction) {
        actions.append(action)
    }
}
