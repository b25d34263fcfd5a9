import Foundation

@MainActor
public protocol UICoordinateSpace: AnyObject {
    var bounds: CGRect { get }
}

@MainActor
private final class ScreenSpace: UICoordinateSpace {
    let bounds = CGRect(x: 0, y: 0, width: 390, height: 844)
}

@MainActor
open class UIScene: UIResponder {
    public enum ActivationState: Int, Sendable {
        case foregroundActive
        case foregroundInactive
        case background
    }

    public nonisolated static var didDisconnectNotification: NSNotification.Name {
        .init("UISceneDidDisconnectNotification")
    }

    public internal(set) var activationState = ActivationState.background
}

/// One instance of the app's interface, with its windows (page UIWindowScene).
@MainActor
public final class UIWindowScene: UIScene {
    public fileprivate(set) var windows: [UIWindow] = []
    public let coordinateSpace: any UICoordinateSpace = ScreenSpace()
    fileprivate(set) weak var keyWindow: UIWindow?

    public override init() {
        super.init()
    }

    /// The person or the system closes the scene: its windows go with it, and whoever observes it hears of it (page
    /// didDisconnectNotification).
    public func disconnect() {
        UIApplication.shared.connectedScenes.remove(self)
        activationState = .background
        NotificationCenter.default.post(name: Self.didDisconnectNotification, object: self)
        for window in windows { window.windowScene = nil }
    }
}

/// A window is hidden until the app shows it, belongs to a scene, and holds the view of its root view controller (page
/// UIWindow).
@MainActor
open class UIWindow: UIView {
    public struct Level: RawRepresentable, Hashable, Sendable {
        public static let normal = Level(rawValue: 0)

        public let rawValue: CGFloat

        public init(rawValue: CGFloat) {
            self.rawValue = rawValue
        }

        public static func + (level: Level, more: CGFloat) -> Level { Level(rawValue: level.rawValue + more) }
        public static func - (level: Level, less: CGFloat) -> Level { Level(rawValue: level.rawValue - less) }
    }

    public var windowScene: UIWindowScene? {
        didSet {
            guard windowScene !== oldValue else { return }
            oldValue?.windows.removeAll { $0 === self }
            if oldValue?.keyWindow === self { oldValue?.keyWindow = nil }
            windowScene?.windows.append(self)
        }
    }
    public var rootViewController: UIViewController? {
        didSet {
            oldValue?.viewIfLoaded?.removeFromSuperview()
            install()
        }
    }
    public var windowLevel = Level.normal
    open override var isHidden: Bool {
        didSet {
            install()
            if isHidden, windowScene?.keyWindow === self { windowScene?.keyWindow = nil }
        }
    }
    public var isKeyWindow: Bool { windowScene?.keyWindow === self }

    public init(windowScene: UIWindowScene) {
        self.windowScene = windowScene
        super.init(frame: windowScene.coordinateSpace.bounds)
        isHidden = true
        windowScene.windows.append(self)
    }

    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    public func makeKey() {
        windowScene?.keyWindow = self
    }

    public func makeKeyAndVisible() {
        isHidden = false
        makeKey()
    }

    /// The view fills the window as soon as the window is shown.
    private func install() {
        guard !isHidden, let view = rootViewController?.view, view.superview !== self else { return }
        view.frame = bounds
        addSubview(view)
    }
}

/// The windows of a scene in the order in which a person sees them, the front one first: by level, then the newer one.
extension UIWindowScene {
    public var visibleWindows: [UIWindow] {
        windows.enumerated().filter { !$0.element.isHidden }
            .sorted { one, other in
                (one.element.windowLevel.rawValue, one.offset) > (other.element.windowLevel.rawValue, other.offset)
            }
            .map(\.element)
    }
}
