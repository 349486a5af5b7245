package dev.mien.fake;

import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.MemoryCacheImageOutputStream;

/** Pictures as sensors and encoders have them. */
public final class Pictures {
    /** Clockwise. */
    public static BufferedImage turned(BufferedImage picture, int degrees) {
        int w = picture.getWidth(), h = picture.getHeight();
        boolean isSideways = degrees % 180 != 0;
        BufferedImage out = new BufferedImage(isSideways ? h : w, isSideways ? w : h, BufferedImage.TYPE_INT_RGB);
        Graphics2D pen = out.createGraphics();
        pen.translate(out.getWidth() / 2.0, out.getHeight() / 2.0);
        pen.rotate(Math.toRadians(degrees));
        pen.drawImage(picture, -w / 2, -h / 2, null);
        pen.dispose();
        return out;
    }

    public static BufferedImage scaled(BufferedImage picture, int width, int height) {
        if (picture.getWidth() == width && picture.getHeight() == height && picture.getType() == BufferedImage.TYPE_INT_RGB) return picture;
        BufferedImage out = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        Graphics2D pen = out.createGraphics();
        pen.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR);
        pen.drawImage(picture, 0, 0, width, height, null);
        pen.dispose();
        return out;
    }

    /** BT.601, full range, with U and V in turn. */
    public static void yuv(BufferedImage picture, byte[] y, byte[] uv, int stride) {
        int w = picture.getWidth(), h = picture.getHeight();
        int[] pixels = picture.getRGB(0, 0, w, h, null, 0, w);
        for (int row = 0; row < h; row++) {
            for (int column = 0; column < w; column++) {
                int pixel = pixels[row * w + column], r = pixel >> 16 & 255, g = pixel >> 8 & 255, b = pixel & 255;
                y[row * stride + column] = (byte) ((77 * r + 150 * g + 29 * b) >> 8);
                if (row % 2 == 0 && column % 2 == 0) {
                    int at = row / 2 * stride + column;
                    uv[at] = (byte) (((-43 * r - 85 * g + 128 * b) >> 8) + 128);
                    uv[at + 1] = (byte) (((128 * r - 107 * g - 21 * b) >> 8) + 128);
                }
            }
        }
    }

    public static BufferedImage ofNv21(byte[] bytes, int w, int h) {
        BufferedImage out = new BufferedImage(w, h, BufferedImage.TYPE_INT_RGB);
        int[] pixels = new int[w * h];
        for (int row = 0; row < h; row++) {
            for (int column = 0; column < w; column++) {
                int y = bytes[row * w + column] & 255, at = w * h + row / 2 * w + column / 2 * 2;
                int v = (bytes[at] & 255) - 128, u = (bytes[at + 1] & 255) - 128;
                pixels[row * w + column] = limit(y + (359 * v >> 8)) << 16 | limit(y - (88 * u + 183 * v >> 8)) << 8 | limit(y + (454 * u >> 8));
            }
        }
        out.setRGB(0, 0, w, h, pixels, 0, w);
        return out;
    }

    private static int limit(int value) { return value < 0 ? 0 : Math.min(value, 255); }

    public static void writeJpeg(BufferedImage picture, int quality, OutputStream stream) {
        ImageWriter writer = ImageIO.getImageWritersByFormatName("jpeg").next();
        ImageWriteParam parameters = writer.getDefaultWriteParam();
        parameters.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
        parameters.setCompressionQuality(quality / 100f);
        try (MemoryCacheImageOutputStream out = new MemoryCacheImageOutputStream(stream)) {
            writer.setOutput(out);
            writer.write(null, new IIOImage(picture, null, null), parameters);
        } catch (IOException error) {
            throw new IllegalStateException(error);
        } finally { writer.dispose(); }
    }

    private Pictures() {}
}
