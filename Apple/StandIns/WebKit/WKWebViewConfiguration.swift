#if canImport(UIKit)
    import UIKit
#else
    import AppKit
#endif

@MainActor
public final class WKWebpagePreferences {
    public var allowsContentJavaScript = true
}

@MainActor
public final class WKPreferences {
    public var javaScriptCanOpenWindowsAutomatically = true
}

/// Where a page's data are kept; `nonPersistent()` writes nothing (page WKWebsiteDataStore).
@MainActor
public final class WKWebsiteDataStore {
    public let isPersistent: Bool

    init(isPersistent: Bool) {
        self.isPersistent = isPersistent
    }

    public static func `default`() -> WKWebsiteDataStore { WKWebsiteDataStore(isPersistent: true) }
    public static func nonPersistent() -> WKWebsiteDataStore { WKWebsiteDataStore(isPersistent: false) }
}

public struct WKAudiovisualMediaTypes: OptionSet, Sendable {
    public static let all = WKAudiovisualMediaTypes(rawValue: .max)

    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }
}

#if canImport(UIKit)
    public struct WKDataDetectorTypes: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }
    }
#endif

@MainActor
public final class WKScriptMessage {
    public let body: Any
    public let frameInfo: WKFrameInfo

    init(_ body: Any, _ frameInfo: WKFrameInfo) {
        self.body = body
        self.frameInfo = frameInfo
    }
}

@MainActor
public protocol WKScriptMessageHandler: AnyObject {
    func userContentController(
        _ userContentController: WKUserContentController,
        didReceive message: WKScriptMessage
    )
}

/// It keeps its handlers until they are removed, and refuses two of one name (page add(_:name:)).
@MainActor
public final class WKUserContentController {
    public private(set) var handlers: [String: any WKScriptMessageHandler] = [:]

    public func add(_ scriptMessageHandler: any WKScriptMessageHandler, name: String) {
        // Apple's raises an exception here, which ends the process, too.
        precondition(handlers[name] == nil, "a handler of this name exists")
        handlers[name] = scriptMessageHandler
    }

    public func removeScriptMessageHandler(forName name: String) {
        handlers[name] = nil
    }
}

@MainActor
public final class WKWebViewConfiguration {
    public init() {}

    public var defaultWebpagePreferences: WKWebpagePreferences! = WKWebpagePreferences()
    public var preferences = WKPreferences()
    public var websiteDataStore = WKWebsiteDataStore.default()
    public var userContentController = WKUserContentController()
    public var mediaTypesRequiringUserActionForPlayback: WKAudiovisualMediaTypes = []
    #if canImport(UIKit)
        public var allowsInlineMediaPlayback = false
        public var dataDetectorTypes: WKDataDetectorTypes = []
    #endif

    var copied: WKWebViewConfiguration {
        let copy = WKWebViewConfiguration()
        copy.defaultWebpagePreferences = defaultWebpagePreferences
        copy.preferences = preferences
        copy.websiteDataStore = websiteDataStore
        copy.userContentController = userContentController
        copy.mediaTypesRequiringUserActionForPlayback = mediaTypesRequiringUserActionForPlayback
        #if canImport(UIKit)
            copy.allowsInlineMediaPlayback = allowsInlineMediaPlayback
            copy.dataDetectorTypes = dataDetectorTypes
        #endif
        return copy
    }
}
