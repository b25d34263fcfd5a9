// Stand-in for UIKit; see ../README.md.
@_exported import Foundation

@MainActor
open class UIResponder: Hashable {
    public init() {}

    public nonisolated static func == (one: UIResponder, other: UIResponder) -> Bool { one === other }
    public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

public final class UIEvent {
    public init() {}
}

public struct UIColor: Hashable, Sendable {
    public static let clear = UIColor(name: "clear")
    public static let systemBackground = UIColor(name: "systemBackground")
    public static let secondaryLabel = UIColor(name: "secondaryLabel")

    let name: String
}

/// A rectangle with a place in a tree of views. It is in a window when one of its superviews is one (page UIView).
@MainActor
open class UIView: UIResponder {
    public class var noIntrinsicMetric: CGFloat { -1 }

    public struct AutoresizingMask: OptionSet, Sendable {
        public static let flexibleWidth = AutoresizingMask(rawValue: 1 << 1)
        public static let flexibleHeight = AutoresizingMask(rawValue: 1 << 4)

        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }
    }

    open var frame: CGRect {
        didSet {
            if frame.size != oldValue.size { setNeedsLayout() }
        }
    }
    /// The view's own coordinates begin at 0 unless somebody scrolls it.
    public var bounds: CGRect {
        get { CGRect(origin: .zero, size: frame.size) }
        set { frame.size = newValue.size }
    }
    public var backgroundColor: UIColor?
    public var isOpaque = true
    open var isHidden = false
    public var accessibilityElementsHidden = false
    public var accessibilityViewIsModal = false
    public var autoresizingMask: AutoresizingMask = []
    public private(set) weak var superview: UIView?
    public private(set) var subviews: [UIView] = []
    open var intrinsicContentSize: CGSize { .zero }

    /// How often the view said that its own size has changed.
    public private(set) var invalidations = 0
    /// The view controller whose view it is: it hears of the layout.
    weak var owner: UIViewController?
    private var needsLayout = true

    public init(frame: CGRect) {
        self.frame = frame
        super.init()
    }

    public required init?(coder: NSCoder) {
        frame = .zero
        super.init()
    }

    public var window: UIWindow? {
        var view: UIView? = self
        while let place = view {
            if let window = place as? UIWindow { return window }
            view = place.superview
        }
        return nil
    }

    /// A view has one superview: adding it elsewhere takes it out of the former one (page addSubview(_:)).
    public func addSubview(_ view: UIView) {
        let former = view.window
        view.superview?.subviews.removeAll { $0 === view }
        view.superview = self
        subviews.append(view)
        setNeedsLayout()
        view.moved(from: former)
    }

    public func removeFromSuperview() {
        let former = window
        superview?.subviews.removeAll { $0 === self }
        superview = nil
        moved(from: former)
    }

    /// Every view of a tree hears that its window is another one (page didMoveToWindow()).
    func moved(from former: UIWindow?) {
        guard window !== former else { return }
        didMoveToWindow()
        for view in subviews { view.moved(from: former) }
    }

    public func setNeedsLayout() {
        needsLayout = true
    }

    /// Lays out the tree at once where it needs that (page layoutIfNeeded()).
    public func layoutIfNeeded() {
        if needsLayout {
            needsLayout = false
            owner?.viewWillLayoutSubviews()
            layoutSubviews()
            owner?.viewDidLayoutSubviews()
        }
        for view in subviews { view.layoutIfNeeded() }
    }

    public func invalidateIntrinsicContentSize() {
        invalidations += 1
    }

    open func layoutSubviews() {
        for view in subviews where view.autoresizingMask == [.flexibleWidth, .flexibleHeight] { view.frame = bounds }
    }

    open func didMoveToWindow() {}

    /// Whether the point, in the view's own coordinates, is inside (page point(inside:with:)).
    open func point(inside point: CGPoint, with event: UIEvent?) -> Bool { bounds.contains(point) }
}

@MainActor
public final class UIScrollView: UIView {
    public enum ContentInsetAdjustmentBehavior: Int, Sendable {
        case automatic
        case never
    }

    public var contentInsetAdjustmentBehavior = ContentInsetAdjustmentBehavior.automatic
}

@MainActor
public enum UIAccessibility {
    public struct Notification: RawRepresentable, Hashable, Sendable {
        public static let screenChanged = Notification(rawValue: 1000)
        public static let announcement = Notification(rawValue: 1008)

        public let rawValue: UInt32

        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }
    }

    /// What assistive technology was told, in order. It keeps no element that it was given.
    public private(set) static var posts: [(notification: Notification, text: String?)] = []

    public static func post(notification: Notification, argument: Any?) {
        posts.append((notification, argument as? String))
    }

    static func restart() {
        posts = []
    }
}
