/// The files of the folder `Browser` as they were compiled in: `PackageResources` is generated from it, by a link, and
/// knows no names. A new file of the folder is added here; a test compares.
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
