// Stand-in for WebKit; see README.md.
import UIKit

@MainActor
public final class WKWebpagePreferences {
    public var allowsContentJavaScript = true
}

@MainActor
public final class WKWebViewConfiguration {
    public init() {}

    public var defaultWebpagePreferences: WKWebpagePreferences! = WKWebpagePreferences()
}

@MainActor
public final class WKNavigation {}

@MainActor
open class WKWebView: UIView {
    public init(frame: CGRect, configuration: WKWebViewConfiguration) {}

    open func loadHTMLString(_ string: String, baseURL: URL?) -> WKNavigation? { nil }
}
