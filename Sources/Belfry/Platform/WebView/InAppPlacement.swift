import BelfryModel
import Foundation

/// The position of a message on the screen.
enum InAppPlacement {
    /// The maximum width of a banner, also on a tablet.
    static let maximumBannerWidth: CGFloat = 640
    /// The maximum share of the screen's height for a banner: at least half is left to the app.
    static let maximumBannerShare: CGFloat = 0.5

    /// The frame of a message's page. All types except banners cover the screen and leave space inside the page.
    ///
    /// - Parameter height: the height that the page has reported for its content; nil before that.
    static func frame(of type: InAppType, height: Double?, in bounds: CGRect) -> CGRect {
        guard isBanner(type) else { return bounds }
        let width = min(bounds.width, maximumBannerWidth)
        let most = (bounds.height * maximumBannerShare).rounded(.down)
        let height = height.map { min(max(CGFloat($0), 0), most) } ?? most
        return CGRect(
            x: bounds.minX + (bounds.width - width) / 2,
            y: type == .bannerTop ? bounds.minY : bounds.maxY - height,
            width: width,
            height: height
        )
    }

    /// Whether the app stays usable beside the message.
    static func isBanner(_ type: InAppType) -> Bool {
        type == .bannerTop || type == .bannerBottom
    }
}
