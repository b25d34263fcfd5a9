extension FuzzTarget {
    package static func named(_ name: String) -> FuzzTarget? {
        all.first { $0.name == name }
    }

    package static let all: [FuzzTarget] = [
        FuzzTarget("addresses", AddressTarget.run),
        FuzzTarget("admin-bodies", AdminBodyTarget.run),
        FuzzTarget("bridge", BridgeTarget.run),
        FuzzTarget("compression", CompressionTarget.run),
        FuzzTarget("console-forms", ConsoleFormTarget.run),
        FuzzTarget("database-values", DatabaseValueTarget.run),
        FuzzTarget("dates", DateTarget.run),
        FuzzTarget("device-bodies", DeviceBodyTarget.run),
        FuzzTarget("events", EventTarget.run),
        FuzzTarget("html", HTMLTarget.run),
        FuzzTarget("http2-frames", HTTP2FrameTarget.run),
        FuzzTarget("in-app-page", InAppPageTarget.run),
        FuzzTarget("json", JSONTarget.run),
        FuzzTarget("json-writing", JSONWritingTarget.run),
        FuzzTarget("keys", KeyTarget.run),
        FuzzTarget("names", NameTarget.run),
        FuzzTarget("predicates", PredicateTarget.run),
        FuzzTarget("push-answers", PushResponseTarget.run),
        FuzzTarget("request-heads", RequestHeadTarget.run),
        FuzzTarget("sdk-answers", SDKResponseTarget.run),
        FuzzTarget("sdk-configuration", SDKConfigurationTarget.run),
        FuzzTarget("sdk-push", SDKPushTarget.run),
        FuzzTarget("sdk-store", SDKStoreTarget.run),
        FuzzTarget("settings", SettingTarget.run),
        FuzzTarget("sign-in", SignInTarget.run),
        FuzzTarget("snapshots", SnapshotTarget.run),
        FuzzTarget("templates", TemplateTarget.run),
        FuzzTarget("tokens", TokenTarget.run),
    ]
}
