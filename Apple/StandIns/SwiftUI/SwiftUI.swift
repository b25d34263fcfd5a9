// Stand-in for SwiftUI; see ../README.md.
import Foundation
import UIKit

@MainActor
public protocol View {
    associatedtype Body: View

    @ViewBuilder
    var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError("a stand-in is never run") }
}

@resultBuilder
public enum ViewBuilder {
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<First: View, Second: View>(_ first: First, _ second: Second) -> TupleView<
        First, Second
    > {
        TupleView()
    }
    public static func buildBlock<First: View, Second: View, Third: View>(
        _ first: First, _ second: Second, _ third: Third
    ) -> TupleView<First, TupleView<Second, Third>> {
        TupleView()
    }
    public static func buildBlock<First: View, Second: View, Third: View, Fourth: View>(
        _ first: First, _ second: Second, _ third: Third, _ fourth: Fourth
    ) -> TupleView<First, TupleView<Second, TupleView<Third, Fourth>>> {
        TupleView()
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> _ConditionalContent<First, Second> {
        _ConditionalContent()
    }
    public static func buildEither<First: View, Second: View>(second: Second) -> _ConditionalContent<First, Second> {
        _ConditionalContent()
    }
}

public struct EmptyView: View {
    public var body: Never { fatalError("a stand-in is never run") }

    public nonisolated init() {}
}

public struct TupleView<First: View, Second: View>: View {
    public var body: Never { fatalError("a stand-in is never run") }

    nonisolated init() {}
}

public struct _ConditionalContent<First: View, Second: View>: View {
    public var body: Never { fatalError("a stand-in is never run") }

    nonisolated init() {}
}

extension Optional: View where Wrapped: View {
    public var body: Never { fatalError("a stand-in is never run") }
}

public struct ButtonRole: Equatable, Sendable {
    public static let destructive = ButtonRole()
}

public struct Button: View {
    public var body: Never { fatalError("a stand-in is never run") }

    public init(_ title: String, action: @escaping @MainActor () -> Void) {}
    public init(_ title: String, role: ButtonRole?, action: @escaping @MainActor () -> Void) {}
}

public struct Text: View {
    public struct DateStyle: Sendable {
        public static let date = DateStyle()
    }

    public var body: Never { fatalError("a stand-in is never run") }

    public init<Content: StringProtocol>(_ content: Content) {}
    public init(_ date: Date, style: DateStyle) {}
}

public struct Font: Hashable, Sendable {
    public static let headline = Font()
    public static let subheadline = Font()
    public static let body = Font()
    public static let caption = Font()
}

public struct HorizontalAlignment: Equatable, Sendable {
    public static let center = HorizontalAlignment()
    public static let leading = HorizontalAlignment()
}

public struct VStack<Content: View>: View {
    public var body: Never { fatalError("a stand-in is never run") }

    public init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) {}
}

public struct List<Content: View>: View {
    public var body: Never { fatalError("a stand-in is never run") }

    public init<Data: RandomAccessCollection>(
        _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> Content
    ) where Data.Element: Identifiable {}
}

public struct NavigationStack<Root: View>: View {
    public var body: Never { fatalError("a stand-in is never run") }

    public init(@ViewBuilder root: () -> Root) {}
}

public struct NavigationLink<Label: View>: View {
    public var body: Never { fatalError("a stand-in is never run") }

    public init<Value: Hashable>(value: Value?, @ViewBuilder label: () -> Label) {}
}

extension View {
    public func font(_ font: Font?) -> some View { self }
    public func frame(width: CGFloat? = nil, height: CGFloat? = nil) -> some View {
        FramedView(content: self, height: height)
    }
    public func navigationTitle<Title: StringProtocol>(_ title: Title) -> some View { self }
    public func navigationDestination<Value: Hashable, Destination: View>(
        for data: Value.Type, @ViewBuilder destination: @escaping (Value) -> Destination
    ) -> some View { self }
    public func overlay<Content: View>(@ViewBuilder content: () -> Content) -> some View { self }
    public func swipeActions<Content: View>(@ViewBuilder content: () -> Content) -> some View { self }
    public func onAppear(perform action: (() -> Void)? = nil) -> some View { self }
    public func onDisappear(perform action: (() -> Void)? = nil) -> some View { self }
    public func sheet<Item: Identifiable, Content: View>(
        item: Binding<Item?>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping (Item) -> Content
    ) -> some View { self }
    public func refreshable(action: @escaping @Sendable () async -> Void) -> some View { self }
    public func task(
        priority: TaskPriority = .userInitiated, @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View { self }
}

// On Apple's systems it belongs to Combine, which SwiftUI brings along; so does the next one.
public protocol ObservableObject: AnyObject {}

@propertyWrapper
public struct Published<Value> {
    public init(wrappedValue: Value) {}

    public var wrappedValue: Value {
        get { fatalError("a stand-in is never run") }
        set {}
    }
}

@propertyWrapper
public struct ObservedObject<ObjectType: ObservableObject> {
    @dynamicMemberLookup
    public struct Wrapper {
        public subscript<Subject>(
            dynamicMember keyPath: ReferenceWritableKeyPath<ObjectType, Subject>
        ) -> Binding<Subject> {
            fatalError("a stand-in is never run")
        }
    }

    public init(wrappedValue: ObjectType) {}

    public var wrappedValue: ObjectType {
        get { fatalError("a stand-in is never run") }
        set {}
    }

    public var projectedValue: Wrapper { Wrapper() }
}

public struct OpenURLAction: Sendable {
    @MainActor
    public func callAsFunction(_ url: URL) {}
    @MainActor
    public func callAsFunction(_ url: URL, completion: @escaping (Bool) -> Void) {}
}

public struct EnvironmentValues {
    public var openURL: OpenURLAction { fatalError("a stand-in is never run") }
}

@propertyWrapper
public struct Environment<Value> {
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}

    public var wrappedValue: Value { fatalError("a stand-in is never run") }
}

extension Environment: Sendable where Value: Sendable {}

public struct UIViewRepresentableContext<Representable: UIViewRepresentable> {}

/// A view of UIKit inside SwiftUI: it is made once, and updated when the state that it depends on changes (page
/// UIViewRepresentable).
@MainActor
public protocol UIViewRepresentable: View where Body == Never {
    associatedtype UIViewType: UIView
    typealias Context = UIViewRepresentableContext<Self>

    func makeUIView(context: Context) -> UIViewType
    func updateUIView(_ uiView: UIViewType, context: Context)
}

extension UIViewRepresentable {
    public var body: Never { fatalError("a stand-in is never run") }

    fileprivate func erased() -> UIView { makeUIView(context: Context()) }

    fileprivate func update(_ view: UIView) {
        if let view = view as? UIViewType { updateUIView(view, context: Context()) }
    }
}

/// A view with a size of its own.
public struct FramedView<Content: View>: View {
    public var body: Never { fatalError("a stand-in is never run") }

    let content: Content
    let height: CGFloat?
}

@MainActor
private protocol Wrapping {
    var wrapped: any View { get }
    var height: CGFloat? { get }
}

extension FramedView: Wrapping {
    fileprivate var wrapped: any View { content }
}

/// Shows a view of SwiftUI in UIKit. Of the stand-ins' views it shows one that is, maybe in frames, a view of UIKit.
@MainActor
open class UIHostingController<Content: View>: UIViewController {
    private let rootView: Content
    private var hosted: UIView?
    private let number: Int

    public init(rootView: Content) {
        self.rootView = rootView
        number = (StateChanges.listeners.keys.max() ?? 0) + 1
        super.init(nibName: nil, bundle: nil)
        StateChanges.listeners[number] = { [weak self] in MainActor.assumeIsolated { self?.render() } }
    }

    public required init?(coder: NSCoder) {
        return nil
    }

    open override func viewDidLoad() {
        super.viewDidLoad()
        render()
    }

    private func render() {
        guard viewIfLoaded != nil else { return }
        var shown: any View = rootView
        var height: CGFloat?
        while !(shown is any UIViewRepresentable) {
            if let frame = shown as? any Wrapping {
                height = frame.height
                shown = frame.wrapped
            } else if let body = Self.body(of: shown) {
                shown = body
            } else {
                return
            }
        }
        guard let representable = shown as? any UIViewRepresentable else { return }
        let view = hosted ?? representable.erased()
        view.frame = CGRect(x: 0, y: 0, width: self.view.bounds.width, height: height ?? self.view.bounds.height)
        if hosted == nil {
            hosted = view
            self.view.addSubview(view)
        }
        representable.update(view)
    }

    private static func body(of view: any View) -> (any View)? {
        func opened<Shown: View>(_ view: Shown) -> (any View)? {
            Shown.Body.self == Never.self ? nil : view.body
        }
        return opened(view)
    }
}

@MainActor
public protocol Scene {}

@resultBuilder
public enum SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

public struct WindowGroup<Content: View>: Scene {
    public init(@ViewBuilder content: () -> Content) {}
}

@MainActor
public protocol App {
    associatedtype Body: Scene

    @SceneBuilder
    var body: Body { get }

    init()
}

extension App {
    public static func main() {}
}

@MainActor
@propertyWrapper
public struct UIApplicationDelegateAdaptor<Delegate: UIApplicationDelegate> {
    public var wrappedValue: Delegate { fatalError("a stand-in is never run") }

    public init(_ delegateType: Delegate.Type = Delegate.self) {}
}
