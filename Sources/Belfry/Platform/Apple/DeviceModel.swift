#if (canImport(UIKit) && !os(watchOS)) || canImport(AppKit)
    import Foundation

    /// The model identifier of the device.
    enum DeviceModel {
        /// The identifier, such as `iPhone14,2` or `Mac14,2`; in a simulator, that of the simulated device.
        static var identifier: String? {
            #if os(macOS)
                return KernelText.named("hw.model")
            #else
                return ProcessInfo.processInfo.environment["SIMULATOR_MODEL_IDENTIFIER"] ?? machine
            #endif
        }

        #if !os(macOS)
            private static var machine: String {
                var info = utsname()
                uname(&info)
                return withUnsafeBytes(of: info.machine) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
            }
        #endif
    }
#endif
