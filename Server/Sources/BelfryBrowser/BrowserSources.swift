/// The files of the folder `Browser`, compiled into the program. `PackageResources` is generated from that folder
/// through a link, and cannot be listed by name. So a new file must be added here; a test compares the two.
package enum BrowserSources {
    package static let all: [String: [UInt8]] = [
        "belfry-calls.js": PackageResources.belfry_calls_js,
        "belfry-edge.js": PackageResources.belfry_edge_js,
        "belfry-edit.js": PackageResources.belfry_edit_js,
        "belfry-engine.js": PackageResources.belfry_engine_js,
        "belfry-frame.html": PackageResources.belfry_frame_html,
        "belfry-inapp.js": PackageResources.belfry_inapp_js,
        "belfry-messages.js": PackageResources.belfry_messages_js,
        "belfry-openid.js": PackageResources.belfry_openid_js,
        "belfry-privacy.js": PackageResources.belfry_privacy_js,
        "belfry-push.js": PackageResources.belfry_push_js,
        "belfry-rules.js": PackageResources.belfry_rules_js,
        "belfry-state.js": PackageResources.belfry_state_js,
        "belfry-store.js": PackageResources.belfry_store_js,
        "belfry-support.js": PackageResources.belfry_support_js,
        "belfry-sync.js": PackageResources.belfry_sync_js,
        "belfry-worker.d.ts": PackageResources.belfry_worker_d_ts,
        "belfry-worker.js": PackageResources.belfry_worker_js,
        "belfry.d.ts": PackageResources.belfry_d_ts,
        "belfry.js": PackageResources.belfry_js,
    ]
}
