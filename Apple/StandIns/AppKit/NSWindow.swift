import Foundation

public typealias NSRect = CGRect

@MainActor
open class NSResponder {
    public init() {}

    /// Escape and Command-Period (page cancelOperation(_:)).
    open func cancelOperation(_ sender: Any?) {}
}

/// A view is in the window of which it, or the view around it, is the content (page NSView).
@MainActor
open class NSView: NSResponder {
    public struct AutoresizingMask: OptionSet, Sendable {
        public static let width = AutoresizingMask(rawValue: 1 << 1)
        public static let height = AutoresizingMask(rawValue: 1 << 4)

        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }
    }

    /// Subviews that may stretch follow it (page autoresizingMask).
    public var frame: NSRect {
        didSet {
            for view in subviews where view.autoresizingMask == [.width, .height] {
                view.frame = NSRect(origin: .zero, size: frame.size)
            }
        }
    }
    public var autoresizingMask: AutoresizingMask = []
    public var isHidden = false
    public private(set) weak var superview: NSView?
    public private(set) var subviews: [NSView] = []
    fileprivate weak var holder: NSWindow?

    public init(frame frameRect: NSRect) {
        frame = frameRect
        super.init()
    }

    public required init?(coder: NSCoder) {
        frame = .zero
        super.init()
    }

    public var window: NSWindow? {
        superview?.window ?? holder
    }

    public func addSubview(_ view: NSView) {
        view.removeFromSuperview()
        view.superview = self
        subviews.append(view)
        view.viewDidMoveToWindow()
    }

    /// Out of its superview and its window (page removeFromSuperview()).
    public func removeFromSuperview() {
        superview?.subviews.removeAll { $0 === self }
        superview = nil
        if let holder, holder.contentView === self { holder.contentView = nil }
        viewDidMoveToWindow()
    }

    open func viewDidMoveToWindow() {}
}

/// A window on the screen, with the windows that are attached to it: these move with it and stay above or below it (page
/// addChildWindow(_:ordered:)).
@MainActor
open class NSWindow: NSResponder {
    public struct StyleMask: OptionSet, Sendable {
        public static let borderless: StyleMask = []
        public static let titled = StyleMask(rawValue: 1 << 0)
        public static let closable = StyleMask(rawValue: 1 << 1)
        public static let resizable = StyleMask(rawValue: 1 << 3)
        public static let nonactivatingPanel = StyleMask(rawValue: 1 << 7)

        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }
    }

    public enum BackingStoreType: UInt, Sendable {
        case buffered = 2
    }

    public enum OrderingMode: Int, Sendable {
        case above = 1
        case below = -1
        case out = 0
    }

    public nonisolated static var willCloseNotification: NSNotification.Name { .init("NSWindowWillCloseNotification") }
    public nonisolated static var didResizeNotification: NSNotification.Name { .init("NSWindowDidResizeNotification") }

    /// The height of a title bar.
    static let titleHeight: CGFloat = 28

    public private(set) var frame: NSRect
    public let styleMask: StyleMask
    public var isReleasedWhenClosed = true
    public var ignoresMouseEvents = false
    public var hidesOnDeactivate = false
    public var hasShadow = true
    public private(set) var isVisible = false
    public internal(set) var isMiniaturized = false
    public private(set) var childWindows: [NSWindow]?
    public private(set) weak var parent: NSWindow?
    /// How it is ordered beside its parent.
    public private(set) var order = OrderingMode.out

    public var contentView: NSView? {
        didSet {
            guard contentView !== oldValue else { return }
            if let oldValue, oldValue.holder === self {
                oldValue.holder = nil
                oldValue.viewDidMoveToWindow()
            }
            contentView?.holder = self
            contentView?.frame = NSRect(origin: .zero, size: contentRect(forFrameRect: frame).size)
            contentView?.viewDidMoveToWindow()
        }
    }

    public init(contentRect: NSRect, styleMask style: StyleMask, backing: BackingStoreType, defer flag: Bool) {
        styleMask = style
        frame = contentRect
        super.init()
        if style.contains(.titled) { frame.size.height += Self.titleHeight }
        NSApplication.shared.windows.append(self)
    }

    /// A window without a title bar and without a bar for resizing cannot become the key window, unless its class says
    /// otherwise (page canBecomeKey).
    open var canBecomeKey: Bool { styleMask.contains(.titled) || styleMask.contains(.resizable) }
    public var isKeyWindow: Bool { NSApplication.shared.keyWindow === self }

    public func contentRect(forFrameRect frameRect: NSRect) -> NSRect {
        guard styleMask.contains(.titled) else { return frameRect }
        return NSRect(
            x: frameRect.minX, y: frameRect.minY, width: frameRect.width, height: frameRect.height - Self.titleHeight
        )
    }

    public func setFrame(_ frameRect: NSRect, display flag: Bool) {
        let isResized = frameRect.size != frame.size
        frame = frameRect
        contentView?.frame = NSRect(origin: .zero, size: contentRect(forFrameRect: frame).size)
        if isResized { NotificationCenter.default.post(name: Self.didResizeNotification, object: self) }
    }

    /// A child is on the screen as soon as its parent is.
    public func addChildWindow(_ child: NSWindow, ordered place: OrderingMode) {
        child.parent?.removeChildWindow(child)
        childWindows = (childWindows ?? []) + [child]
        child.parent = self
        child.order = place
        child.isVisible = isVisible
    }

    public func removeChildWindow(_ child: NSWindow) {
        childWindows?.removeAll { $0 === child }
        child.parent = nil
        child.order = .out
    }

    open func makeKey() {
        if canBecomeKey, isVisible { NSApplication.shared.keyWindow = self }
    }

    public func makeKeyAndOrderFront(_ sender: Any?) {
        isVisible = true
        NSApplication.shared.mainWindow = self
        makeKey()
    }

    public func orderOut(_ sender: Any?) {
        isVisible = false
        if isKeyWindow { NSApplication.shared.keyWindow = nil }
    }

    public func miniaturize(_ sender: Any?) {
        isMiniaturized = true
    }

    /// It tells that it will close, and leaves the screen with its children (page willCloseNotification).
    public func close() {
        NotificationCenter.default.post(name: Self.willCloseNotification, object: self)
        for child in childWindows ?? [] { child.orderOut(nil) }
        orderOut(nil)
        NSApplication.shared.windows.removeAll { $0 === self }
        if NSApplication.shared.mainWindow === self { NSApplication.shared.mainWindow = nil }
    }
}

/// A window beside the app's main ones (page NSPanel).
@MainActor
open class NSPanel: NSWindow {
    public var isFloatingPanel = false
    public var becomesKeyOnlyIfNeeded = false
}
