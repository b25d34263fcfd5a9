#if (canImport(UIKit) && !os(watchOS)) || canImport(AppKit)
    import BelfryModel
    import Foundation

    extension PushEnvironment {
        /// The APNs environment that issues this build's tokens.
        ///
        /// It is read from the provisioning profile in the app's bundle: Xcode's own builds belong to the sandbox, ad
        /// hoc and enterprise ones to production. Without a profile it is an app from the App Store or TestFlight:
        /// production. A simulator belongs to the sandbox.
        public static var ofThisBuild: PushEnvironment {
            #if targetEnvironment(simulator)
                return .sandbox
            #else
                let data = profiles.lazy.compactMap { try? Data(contentsOf: $0) }.first
                return data.flatMap { ProvisioningProfile($0) }?.pushEnvironment ?? .production
            #endif
        }

        /// The locations of the profile on iOS and macOS.
        private static var profiles: [URL] {
            let bundle = Bundle.main.bundleURL
            return [
                bundle.appendingPathComponent("embedded.mobileprovision"),
                bundle.appendingPathComponent("Contents").appendingPathComponent("embedded.provisionprofile"),
            ]
        }
    }
#endif
