// Stand-in for SwiftUI; see README.md.
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
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
}

public struct Button: View {
    public var body: Never { fatalError("a stand-in is never run") }

    public init(_ title: String, action: @escaping @MainActor () -> Void) {}
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
